package org.pgas4j.launch.doctor;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Texts of the kernel, and values in them that several checks use. */
final class Sources {

    static final long MIB = 1 << 20;
    /** Shared heap of a rank by default, in host memory and on the host device. */
    static final long DEFAULT_HEAP = 64 * MIB;

    private static final int PIECE = 1 << 16;

    private Sources() {
    }

    /** Text of a file of the kernel, or empty if there is none or it may not be read. */
    static Optional<String> text(String file) {
        // In large pieces: bytes after a short read of a file in /proc/sys are lost.
        try (InputStream in = new FileInputStream(file)) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            byte[] piece = new byte[PIECE];
            for (int read = in.read(piece); read > 0; read = in.read(piece)) {
                text.write(piece, 0, read);
            }
            return Optional.of(text.toString(StandardCharsets.ISO_8859_1).strip());
        } catch (IOException _) {
            return Optional.empty(); // the result for a file that cannot be read
        }
    }

    /** Text after {@code key:} in lines such as those of /proc/self/status. */
    static Optional<String> field(String text, String key) {
        return text.lines().filter(line -> line.startsWith(key + ":")).findFirst()
                .map(line -> line.substring(key.length() + 1).strip());
    }

    /** Whether this machine has network cards for RDMA. */
    static boolean hasRdma() {
        return isNotEmpty(Path.of("/sys/class/infiniband")) && isNotEmpty(Path.of("/dev/infiniband"));
    }

    private static boolean isNotEmpty(Path directory) {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isPresent();
        } catch (IOException _) {
            return false; // not for us, so not for UCX
        }
    }

    /** Bytes for people. */
    static String size(long bytes) {
        return bytes >= 10L * 1024 * MIB ? bytes / (1024 * MIB) + " GiB" : bytes >= MIB ? bytes / MIB + " MiB"
                : bytes / 1024 + " KiB";
    }
}
