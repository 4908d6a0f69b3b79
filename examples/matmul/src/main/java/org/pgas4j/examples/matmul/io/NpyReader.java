package org.pgas4j.examples.matmul.io;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;
import org.pgas4j.UsageException;

/**
 * Reads two-dimensional NumPy {@code .npy} files of little-endian float32 or float64, versions 1 to 3, in C or Fortran
 * order. Format: numpy.lib.format, NumPy Enhancement Proposal 1.
 */
public final class NpyReader {

    static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

    private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*(?:'([^']*)'|(\\[))");
    private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9,\\s]*)\\)");

    private final Path file;
    private ElementType type;
    private boolean fortranOrder;
    private int rows;
    private int columns;

    private NpyReader(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param check called with the size before anything of that size is allocated
     * @param arena owner of the matrix's memory; shared, since any thread reads it
     * @throws UsageException if the content is not a good matrix
     */
    public static DenseMatrix read(Path file, MatrixSource.SizeCheck check, Arena arena) throws IOException {
        NpyReader self = new NpyReader(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            self.header(channel);
            return self.data(channel, check, arena);
        }
    }

    /* 0 magic:6 | 6 major:u8 | 7 minor:u8 | 8 headerLength: u16 in version 1, u32 from 2 | header: a Python dict */
    private void header(FileChannel channel) throws IOException {
        ByteBuffer start = bytes(channel, 8, "header");
        int major = start.get(6) & 0xff;
        if (major < 1 || major > 3) {
            throw error(".npy version " + major + " (expected: 1, 2 or 3)");
        }
        ByteBuffer lengthBytes = bytes(channel, major == 1 ? Short.BYTES : Integer.BYTES, "header");
        long length = major == 1 ? lengthBytes.getShort(0) & 0xffffL : lengthBytes.getInt(0) & 0xffff_ffffL;
        if (length > 1 << 20) {
            throw error("header of " + length + " bytes (expected: <= " + (1 << 20) + ")");
        }
        String header = new String(bytes(channel, (int) length, "header").array(),
                major == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1).strip();
        type = type(match(DESCR, header, "descr"));
        fortranOrder = match(ORDER, header, "fortran_order").group(1).equals("True");
        shape(match(SHAPE, header, "shape").group(1));
    }

    private Matcher match(Pattern pattern, String header, String key) {
        Matcher matcher = pattern.matcher(header);
        if (!matcher.find()) {
            throw error("no good '" + key + "' in the header " + header);
        }
        return matcher;
    }

    private ElementType type(Matcher descr) {
        if (descr.group(2) != null) {
            throw error("structured values are not supported (expected: '<f4' or '<f8')");
        }
        String text = descr.group(1);
        return switch (text) {
            case "<f4" -> ElementType.FLOAT;
            case "<f8" -> ElementType.DOUBLE;
            case ">f4", ">f8" -> throw error("big-endian values '" + text + "' are not supported; save with .astype('<"
                    + text.substring(1) + "')");
            case "|O", "O" -> throw error("pickled objects are not supported (expected: '<f4' or '<f8')");
            default -> throw error("values of type '" + text + "' are not supported (expected: '<f4' or '<f8'; "
                    + "save with .astype('<f8'))");
        };
    }

    private void shape(String text) {
        String[] parts = text.strip().split("\\s*,\\s*");
        if (parts.length != 2 || parts[0].isEmpty()) {
            throw error("shape (" + text.strip() + ") (expected: two dimensions)");
        }
        rows = dimension(parts[0], text);
        columns = dimension(parts[1], text);
    }

    private int dimension(String part, String shape) {
        if (part.length() > 10 || Long.parseLong(part) > Integer.MAX_VALUE || Long.parseLong(part) == 0) {
            throw error("shape (" + shape.strip() + ") (expected: dimensions 1.." + Integer.MAX_VALUE + ")");
        }
        return Integer.parseInt(part);
    }

    private DenseMatrix data(FileChannel channel, MatrixSource.SizeCheck check, Arena arena) throws IOException {
        long start = channel.position();
        long expected = type.bytes((long) rows * columns);
        long found = channel.size() - start;
        if (found != expected) {
            throw error(found + " bytes of values, a " + rows + " x " + columns + " matrix of " + type + " has "
                    + expected + (found < expected ? "; is the file truncated?" : ""));
        }
        check.check(file.toString(), rows, columns);

        MemorySegment data = arena.allocate(expected, Double.BYTES);
        try (Arena mapping = Arena.ofShared()) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, start, expected, mapping);
            if (fortranOrder) {
                data.copyFrom(mapped);
            } else {
                transpose(mapped, data);
            }
        }
        DenseMatrix matrix = new DenseMatrix(rows, columns, type, data,
                "dense, " + (type == ElementType.FLOAT ? "float32" : "float64"));
        checkFinite(matrix);
        return matrix;
    }

    /** From rows x columns in row-major order to column-major. */
    private void transpose(MemorySegment from, MemorySegment to) {
        long size = type.bytes(1);
        IntStream.range(0, columns).parallel().forEach(column -> {
            for (int row = 0; row < rows; row++) {
                MemorySegment.copy(from, ((long) row * columns + column) * size, to, ((long) column * rows + row) * size, size);
            }
        });
    }

    private void checkFinite(DenseMatrix matrix) {
        for (int j = 0; j < columns; j++) {
            double[] column = matrix.column(j);
            for (int i = 0; i < rows; i++) {
                if (!Double.isFinite(column[i])) {
                    throw error("element [" + i + ", " + j + "] is " + column[i] + " (expected: finite values)");
                }
            }
        }
    }

    private ByteBuffer bytes(FileChannel channel, int count, String what) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new UsageException(file + ": the file ends in the " + what + "; is it truncated?",
                        new EOFException(what));
            }
        }
        return buffer.flip();
    }

    private UsageException error(String what) {
        return new UsageException(file + ": " + what);
    }
}
