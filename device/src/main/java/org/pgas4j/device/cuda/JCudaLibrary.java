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
 * Loads JCuda's native library for the driver API. JCuda unpacks it to a fixed name in {@code java.io.tmpdir}, loads
 * any file of that name there already, and never removes it: processes that start together may load half a file, or
 * another user's file. So a directory of this process alone stands in for it while JCuda loads, and is removed right
 * after.
 */
final class JCudaLibrary {

    private static final String TMPDIR = "java.io.tmpdir";
    /** Property that names another directory; pgasrun sets a private one from which libraries may be loaded. */
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
            // Two classes of the JDK read the property once, at first use: they must read its true value.
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

    /** The last of the errors that JCuda puts into its message, with their stack traces. */
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
