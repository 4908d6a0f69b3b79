package org.pgas4j.device.cuda;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jcuda.driver.JCudaDriver;
import org.pgas4j.DeviceException;
import org.pgas4j.device.natives.NativeLibrary;

/**
 * Loads JCuda's native library for the driver API. JCuda unpacks it to a fixed name in {@code java.io.tmpdir}, takes
 * whatever file is there already, and leaves it: processes that start together load half a file, and another user's
 * file is loaded unseen. So it is given a directory of this process's own while it loads, removed right after.
 */
final class JCudaLibrary {

    private static final String TMPDIR = "java.io.tmpdir";
    /** Names another directory for it; pgasrun gives a private one on which libraries may be loaded. */
    private static final String PLACE = "org.pgas4j.tmpdir";

    private static boolean loaded;

    private JCudaLibrary() {
    }

    /**
     * Loads it, unless it is loaded. {@code libcuda.so.1} must be loadable.
     *
     * @throws DeviceException if it cannot be loaded; one line
     */
    static synchronized void load() {
        if (loaded) {
            return;
        }
        String tmpdir = System.getProperty(TMPDIR);
        Path place = Path.of(System.getProperty(PLACE, tmpdir));
        try {
            // The JDK's two makers of temporary files remember the property at first use: let them see the real one.
            Files.delete(File.createTempFile("pgas4j", null, place.toFile()).toPath());
            Path own = Files.createTempDirectory(place, "pgas4j-jcuda");
            System.setProperty(TMPDIR, own.toString());
            try {
                JCudaDriver.setExceptionsEnabled(false);
            } finally {
                System.setProperty(TMPDIR, tmpdir);
                remove(own);
            }
            loaded = true;
        } catch (IOException e) {
            throw new DeviceException("cannot unpack JCuda to " + place + ": " + e
                    + "; set -Djava.io.tmpdir to a directory that can be written", e);
        } catch (LinkageError e) {
            throw new DeviceException("cannot load JCuda: " + reason(e)
                    + "; the class path needs org.jcuda:jcuda-natives with the classifier of this machine");
        }
    }

    /** The last error of those JCuda prints into its message, stack traces and all. */
    private static String reason(LinkageError e) {
        String text = e.getMessage() == null ? "" : e.getMessage();
        return text.lines().map(String::strip)
                .filter(line -> line.contains("Error: ") || line.contains("Exception: "))
                .reduce((first, second) -> second)
                .orElseGet(() -> NativeLibrary.reason(e));
    }

    private static void remove(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(directory)) {
            files = entries.toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
        Files.delete(directory);
    }
}
