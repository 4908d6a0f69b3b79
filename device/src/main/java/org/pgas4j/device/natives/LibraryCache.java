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
 * The directory where JavaCPP keeps what it has taken out of jars, for JVMs that the launcher did not start. It goes by name of
 * the jar, size and date: a library of another build with the same three would stay there, and lack functions.
 */
public final class LibraryCache {

    private LibraryCache() {
    }

    /**
     * Sees to it that the cache has the bytes of a library. Safe beside other processes that do the same, or have the old one
     * loaded.
     *
     * @param library in a jar or a directory of the class path
     * @return where it is in the cache
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
