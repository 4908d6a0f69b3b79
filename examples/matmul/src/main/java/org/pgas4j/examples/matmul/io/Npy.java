package org.pgas4j.examples.matmul.io;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;
import org.pgas4j.UsageException;

/**
 * Two-dimensional NumPy {@code .npy} files of little-endian float32 or float64: reads versions 1 to 3, in C or Fortran order, writes
 * version 1, Fortran order. Format: numpy.lib.format, NumPy Enhancement Proposal 1.
 *
 * <pre>0 magic:6 | 6 major:u8 | 7 minor:u8 | 8 headerLength: u16 in version 1, u32 from 2 | header: a Python dict</pre>
 */
public final class Npy {

    static final String MAGIC = "\u0093NUMPY";

    private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*(?:'([^']*)'|\\[)");
    private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9,\\s]*)\\)");
    private static final int ALIGNMENT = 64;
    private static final long PIECE_BYTES = 64L << 20;

    private final Path file;
    private ElementType type;
    private boolean fortranOrder;
    private int rows;
    private int columns;

    private Npy(Path file) {
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
        Npy self = new Npy(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            self.header(channel);
            return self.data(channel, check, arena);
        }
    }

    /** Gives a part of a matrix that is written. */
    @FunctionalInterface
    public interface Columns {

        /** Columns {@code first} to {@code first + count - 1}, one after the other, valid until the next call. */
        MemorySegment read(long first, long count);
    }

    /** Writes {@code matrix}; the file appears under its name only when complete. */
    public static void write(Path file, DenseMatrix matrix) throws IOException {
        long columnBytes = matrix.type().bytes(matrix.rows());
        write(file, matrix.type(), matrix.rows(), matrix.columns(),
                (first, count) -> matrix.data().asSlice(first * columnBytes, count * columnBytes));
    }

    /**
     * Writes a matrix in pieces of some columns; the file appears under its name only when complete.
     *
     * @param type FLOAT, DOUBLE, HALF or INT
     */
    public static void write(Path file, ElementType type, long rows, long columns, Columns source) throws IOException {
        String dict = "{'descr': '" + descr(type) + "', 'fortran_order': True, 'shape': (" + rows + ", " + columns + "), }";
        int prefix = MAGIC.length() + 4;
        int length = Math.ceilDiv(prefix + dict.length() + 1, ALIGNMENT) * ALIGNMENT - prefix;
        String header = MAGIC + "\1\0" + (char) (length & 0xff) + (char) (length >> 8) + dict
                + " ".repeat(length - dict.length() - 1) + "\n";
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(header.getBytes(StandardCharsets.ISO_8859_1)));
            long together = Math.max(1, PIECE_BYTES / type.bytes(rows));
            for (long first = 0; first < columns; first += together) {
                writeFully(channel, source.read(first, Math.min(together, columns - first)).asByteBuffer());
            }
        }
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String descr(ElementType type) {
        return switch (type) {
            case FLOAT -> "<f4";
            case DOUBLE -> "<f8";
            case HALF -> "<f2";
            case INT -> "<i4";
            case BYTE, SHORT, CHAR, LONG, BFLOAT16 -> throw new IllegalArgumentException(".npy of " + type
                    + " (expected: FLOAT, DOUBLE, HALF or INT)");
        };
    }

    private static void writeFully(FileChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private void header(FileChannel channel) throws IOException {
        int major = bytes(channel, 8).get(6) & 0xff;
        if (major < 1 || major > 3) {
            throw error(".npy version " + major + " (expected: 1, 2 or 3)");
        }
        long length = major == 1 ? bytes(channel, Short.BYTES).getShort(0) & 0xffffL
                : bytes(channel, Integer.BYTES).getInt(0) & 0xffff_ffffL;
        if (length > 1 << 20) {
            throw error("header of " + length + " bytes (expected: <= " + (1 << 20) + ")");
        }
        String header = new String(bytes(channel, (int) length).array(),
                major == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1).strip();
        type = type(match(DESCR, header, "descr"));
        fortranOrder = match(ORDER, header, "fortran_order").equals("True");
        String shape = match(SHAPE, header, "shape").strip();
        String[] sides = shape.split("\\s*,\\s*");
        if (sides.length != 2) {
            throw error("shape (" + shape + ") (expected: two dimensions)");
        }
        rows = side(sides[0], shape);
        columns = side(sides[1], shape);
    }

    /** The pattern's group; null if that is not in the match. */
    private String match(Pattern pattern, String header, String key) {
        Matcher matcher = pattern.matcher(header);
        if (!matcher.find()) {
            throw error("no good '" + key + "' in the header " + header);
        }
        return matcher.group(1);
    }

    private ElementType type(String descr) {
        return switch (descr) {
            case null -> throw error("structured values are not supported (expected: '<f4' or '<f8')");
            case "<f4" -> ElementType.FLOAT;
            case "<f8" -> ElementType.DOUBLE;
            case ">f4", ">f8" -> throw error("big-endian values '" + descr + "' are not supported; save with .astype('<"
                    + descr.substring(1) + "')");
            case "|O", "O" -> throw error("pickled objects are not supported (expected: '<f4' or '<f8')");
            default -> throw error("values of type '" + descr + "' are not supported (expected: '<f4' or '<f8'; "
                    + "save with .astype('<f8'))");
        };
    }

    private int side(String text, String shape) {
        if (!text.matches("[0-9]{1,10}") || Long.parseLong(text) > Integer.MAX_VALUE || Long.parseLong(text) == 0) {
            throw error("shape (" + shape + ") (expected: dimensions 1.." + Integer.MAX_VALUE + ")");
        }
        return Integer.parseInt(text);
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
        for (int j = 0; j < columns; j++) {
            double[] column = matrix.column(j);
            for (int i = 0; i < rows; i++) {
                if (!Double.isFinite(column[i])) {
                    throw error("element [" + i + ", " + j + "] is " + column[i] + " (expected: finite values)");
                }
            }
        }
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

    private ByteBuffer bytes(FileChannel channel, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw error("the file ends in the header; is it truncated?");
            }
        }
        return buffer.flip();
    }

    private UsageException error(String what) {
        return new UsageException(file + ": " + what);
    }
}
