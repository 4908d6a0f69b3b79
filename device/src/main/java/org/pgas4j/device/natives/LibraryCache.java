package org.pgas4j.device.natives;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.bytedeco.javacpp.Loader;

/**
 * The directory in which JavaCPP keeps libraries it has extracted from jars, for JVMs that the launcher did not start.
 * JavaCPP compares name of the jar, size and date: a library of another build with the same three would stay, and lack
 * functions.
 */
public final class LibraryCache {

    private LibraryCache() {
    }

    /**
     * Puts a library into the cache, unless its bytes are there. Safe beside other processes that do the same, or have
     * the old one loaded.
     *
     * @param library its location in a jar or a directory of the class path
     * @return its path in the cache
     * @throws IOException if it can be neither read nor put there
     */
    public static Path refresh(URL library) throws IOException {
        Path cached = Loader.cacheResource(library).toPath();
        byte[] bytes;
        try (InputStream in = library.openStream()) {
            bytes = in.readAllBytes();
        }
        if (!Arrays.equals(bytes, Files.readAllBytes(cached))) {
            Path fresh = Files.createTempFile(cached.getParent(), "fresh-", ".so");
            try {
                Files.write(fresh, bytes);
                Files.setLastModifiedTime(fresh, Files.getLastModifiedTime(cached)); // else JavaCPP copies once more
                Files.move(fresh, cached, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(fresh);
            }
        }
        return cached;
    }
}
