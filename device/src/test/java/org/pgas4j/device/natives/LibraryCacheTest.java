package org.pgas4j.device.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LibraryCacheTest {

    private static final String LIBRARY = "lib/libsame.so";

    @TempDir
    private Path folder;

    /** JavaCPP's cache is one for the process, so that the name must be new. */
    private final String jar = "cache-test-" + UUID.randomUUID() + ".jar";

    private URL library(String build, String text) throws Exception {
        Path file = Files.createDirectory(folder.resolve(build)).resolve(jar);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            ZipEntry entry = new ZipEntry(LIBRARY);
            entry.setTime(1_700_000_000_000L);
            out.putNextEntry(entry);
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return URI.create("jar:" + file.toUri() + "!/" + LIBRARY).toURL();
    }

    @AfterEach
    void leaveTheCacheAsItWas() throws Exception {
        Path made = Loader.getCacheDir().toPath().resolve(jar);
        for (Path path : List.of(made.resolve(LIBRARY), made.resolve("lib"), made)) {
            Files.deleteIfExists(path);
        }
    }

    @Test
    void shouldReplaceALibraryOfAnotherBuildWithTheSameSizeAndDate() throws Exception {
        URL first = library("first", "one");
        URL second = library("second", "two");

        Path cached = LibraryCache.refresh(first);
        assertEquals("one", Files.readString(cached));
        assertEquals("one", Files.readString(Loader.cacheResource(second).toPath()), "JavaCPP compares bytes now");

        assertEquals(cached, LibraryCache.refresh(second));
        assertEquals("two", Files.readString(cached));
        Loader.cacheResource(second);
        assertEquals("two", Files.readString(cached));
    }

    @Test
    void shouldLeaveALibraryThatIsTheSame() throws Exception {
        URL library = library("first", "one");
        Path cached = LibraryCache.refresh(library);
        Object before = Files.getAttribute(cached, "unix:ino");

        LibraryCache.refresh(library);

        assertEquals(before, Files.getAttribute(cached, "unix:ino"));
    }
}
