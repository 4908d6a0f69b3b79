package org.pgas4j.device.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryFilesTest {

    @TempDir
    private Path folder;

    private Path file(String name) throws IOException {
        Path file = folder.toRealPath().resolve(name);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }

    @Test
    void shouldFindEachFileOnceInTheFirstFolder() throws IOException {
        Path library = file("first/libnvrtc.so.13.0.88");
        Files.createSymbolicLink(library.resolveSibling("libnvrtc.so.13"), library.getFileName());
        Path builtins = file("second/libnvrtc-builtins.so.13.0");
        file("second/libnvrtc.so.13.1");
        file("first/libnvrtc_static.a");

        assertEquals(List.of(library, builtins), LibraryFiles.find(List.of(folder.resolve("none"), folder.resolve("first"),
                folder.resolve("second")), "libnvrtc.so.13", "libnvrtc-builtins.so.13"));
    }

    @Test
    void shouldSearchThePathBeforeTheUsualFolders() {
        List<Path> folders = LibraryFiles.folders("/opt/a::/opt/b");

        assertEquals(List.of(Path.of("/opt/a"), Path.of("/opt/b"), Path.of("/usr/local/cuda/lib64")), folders.subList(0, 3));
        assertEquals(Path.of("/usr/local/cuda/lib64"), LibraryFiles.folders(null).getFirst());
    }
}
