package org.pgas4j.examples.matmul.io;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.pgas4j.UsageException;

/** Opens a matrix file by its content: Matrix Market or NumPy. */
public final class MatrixFiles {

    private static final String MATRIX_MARKET = "%%matrixmarket";

    private MatrixFiles() {
    }

    /**
     * Reads a file.
     *
     * @param check called with the size before anything of that size is allocated
     * @param arena owner of a dense matrix's memory; shared, since any thread reads it
     * @throws UsageException if the file cannot be read or is not a good matrix
     */
    public static MatrixSource read(Path file, MatrixSource.SizeCheck check, Arena arena) {
        try {
            if (Files.isDirectory(file)) {
                throw new UsageException(file + ": is a directory (expected: a Matrix Market or .npy file)");
            }
            if (Files.exists(file) && !Files.isRegularFile(file)) { // its size is not known, and it may never end
                throw new UsageException(file + ": is no regular file but a pipe or device (expected: a Matrix Market or .npy"
                        + " file)");
            }
            String head = head(file);
            if (head.isEmpty()) {
                throw new UsageException(file + ": empty file (expected: Matrix Market or .npy)");
            }
            if (head.startsWith(Npy.MAGIC)) {
                return Npy.read(file, check, arena);
            }
            if (head.toLowerCase(Locale.ROOT).startsWith(MATRIX_MARKET)) {
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

    private static String head(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MATRIX_MARKET.length()), StandardCharsets.ISO_8859_1);
        }
    }
}
