package org.pgas4j.examples.matmul.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.pgas4j.ElementType;

/** Writes a dense matrix as NumPy {@code .npy}, version 1, little-endian, Fortran order. */
public final class NpyWriter {

    private static final int ALIGNMENT = 64;
    private static final long PIECE_BYTES = 64L << 20;

    private NpyWriter() {
    }

    /** Writes {@code matrix}; the file appears under its name only when complete. */
    public static void write(Path file, DenseMatrix matrix) throws IOException {
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(header(matrix)));
            long bytes = matrix.type().bytes((long) matrix.rows() * matrix.columns());
            for (long from = 0; from < bytes; from += PIECE_BYTES) {
                long piece = Math.min(PIECE_BYTES, bytes - from);
                writeFully(channel, matrix.data().asSlice(from, piece).asByteBuffer());
            }
        }
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] header(DenseMatrix matrix) {
        String dict = "{'descr': '" + (matrix.type() == ElementType.FLOAT ? "<f4" : "<f8")
                + "', 'fortran_order': True, 'shape': (" + matrix.rows() + ", " + matrix.columns() + "), }";
        int prefix = NpyReader.MAGIC.length + 2 + Short.BYTES;
        int total = Math.ceilDiv(prefix + dict.length() + 1, ALIGNMENT) * ALIGNMENT;
        byte[] header = new byte[total];
        System.arraycopy(NpyReader.MAGIC, 0, header, 0, NpyReader.MAGIC.length);
        header[6] = 1;
        int length = total - prefix;
        header[8] = (byte) length;
        header[9] = (byte) (length >>> 8);
        byte[] padded = (dict + " ".repeat(length - dict.length() - 1) + "\n").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(padded, 0, header, prefix, length);
        return header;
    }

    private static void writeFully(FileChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }
}
