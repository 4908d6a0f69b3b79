package org.pgas4j.examples.matmul.io;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.pgas4j.UsageException;

/** Opens a matrix file by what is in it: Matrix Market or NumPy. */
public final class MatrixFiles {

    private static final byte[] MATRIX_MARKET = "%%MatrixMarket".getBytes(StandardCharsets.US_ASCII);

    private MatrixFiles() {
    }

    /**
     * Reads a file.
     *
     * @param check called with the size before anything of that size is allocated
     * @param arena owner of a dense matrix's memory; shared, since any thread reads it
     * @throws UsageException if the file cannot be read or is not a good matrix
     */
    public static MatrixSource read(Path file, SizeCheck check, Arena arena) {
        try {
            if (Files.isDirectory(file)) {
                throw new UsageException(file + ": is a directory (expected: a Matrix Market or .npy file)");
            }
            if (Files.exists(file) && !Files.isRegularFile(file)) { // its size is not known, and it may never end
                throw new UsageException(file + ": is no regular file but a pipe or device (expected: a Matrix Market or .npy"
                        + " file)");
            }
            byte[] head = head(file);
            if (head.length == 0) {
                throw new UsageException(file + ": empty file (expected: Matrix Market or .npy)");
            }
            if (startsWith(head, NpyReader.MAGIC)) {
                return NpyReader.read(file, check, arena);
            }
            if (startsWith(lowerCase(head), lowerCase(MATRIX_MARKET))) {
                try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                    return MatrixMarketReader.read(in, file.toString(), Files.size(file), check, arena);
                }
            }
            throw new UsageException(file + ": neither Matrix Market (begins with %%MatrixMarket) nor NumPy .npy");
        } catch (NoSuchFileException e) {
            throw new UsageException(file + ": no such file", e);
        } catch (IOException e) {
            throw new UsageException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte[] head(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MATRIX_MARKET.length);
        }
    }

    private static boolean startsWith(byte[] head, byte[] prefix) {
        return head.length >= prefix.length && Arrays.equals(head, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static byte[] lowerCase(byte[] ascii) {
        byte[] lower = ascii.clone();
        for (int i = 0; i < lower.length; i++) {
            if (lower[i] >= 'A' && lower[i] <= 'Z') {
                lower[i] += 'a' - 'A';
            }
        }
        return lower;
    }
}
