package org.pgas4j.examples.matmul.io;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.pgas4j.ElementType;
import org.pgas4j.UsageException;

/**
 * Reads Matrix Market files: coordinate and array; real, double, integer and pattern (each entry is 1); general,
 * symmetric and skew-symmetric (the other triangle is filled in). Entries given twice add up. Errors name the file
 * and the line. Format: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats,
 * NISTIR 5935, 1996.
 */
public final class MatrixMarketReader {

    private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eEdD][+-]?[0-9]+)?");

    private enum Symmetry {
        GENERAL(""), SYMMETRIC("symmetric "), SKEW("skew-symmetric ");

        private final String word;

        Symmetry(String word) {
            this.word = word;
        }
    }

    private final BufferedReader reader;
    private final String name;
    private long lineNumber;
    private boolean dense;
    private boolean pattern;
    private boolean integer;
    private Symmetry symmetry;

    private MatrixMarketReader(InputStream in, String name) {
        this.reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1), 1 << 16);
        this.name = name;
    }

    /**
     * Reads one matrix.
     *
     * @param name  for messages
     * @param bytes size of the file, against which its number of entries is checked; Long.MAX_VALUE if not known
     * @param check called with the size before anything of that size is allocated
     * @param arena owner of a dense matrix's memory; shared, since any thread reads it
     * @throws UsageException naming file and line, if the content is not a good matrix
     */
    public static MatrixSource read(InputStream in, String name, long bytes, MatrixSource.SizeCheck check, Arena arena)
            throws IOException {
        MatrixMarketReader self = new MatrixMarketReader(in, name);
        self.header();
        return self.dense ? self.array(bytes, check, arena) : self.coordinate(bytes, check);
    }

    private void header() throws IOException {
        lineNumber++;
        String line = reader.readLine();
        String[] words = line == null ? new String[0] : line.strip().toLowerCase(Locale.ROOT).split("\\s+");
        if (words.length != 5 || !words[0].equals("%%matrixmarket") || !words[1].equals("matrix")) {
            throw error("'" + shortened(line) + "' (expected: %%MatrixMarket matrix FORMAT FIELD SYMMETRY)");
        }
        dense = switch (words[2]) {
            case "array" -> true;
            case "coordinate" -> false;
            default -> throw error("format '" + words[2] + "' (expected: array or coordinate)");
        };
        switch (words[3]) {
            case "real", "double" -> { }
            case "integer" -> integer = true;
            case "pattern" -> pattern = true;
            case "complex" -> throw error("complex values are not supported (expected: real, integer or pattern)");
            default -> throw error("field '" + words[3] + "' (expected: real, double, integer or pattern)");
        }
        symmetry = switch (words[4]) {
            case "general" -> Symmetry.GENERAL;
            case "symmetric" -> Symmetry.SYMMETRIC;
            case "skew-symmetric" -> Symmetry.SKEW;
            case "hermitian" -> throw error("hermitian matrices are complex, which is not supported");
            default -> throw error("symmetry '" + words[4] + "' (expected: general, symmetric or skew-symmetric)");
        };
        if (pattern && (dense || symmetry == Symmetry.SKEW)) {
            throw error("a pattern has no values, it cannot be " + (dense ? "an array" : "skew-symmetric"));
        }
    }

    private MatrixSource coordinate(long bytes, MatrixSource.SizeCheck check) throws IOException {
        String[] size = sizeLine(3, "rows columns entries");
        int rows = dimension(size[0], "rows");
        int columns = dimension(size[1], "columns");
        checkSymmetricSquare(rows, columns);
        long entries = whole(size[2], "entries");
        if (entries < 0 || entries > (long) rows * columns) {
            throw error(entries + " entries in a " + rows + " x " + columns + " matrix (expected: 0.."
                    + (long) rows * columns + ")");
        }
        checkPossible(entries, pattern ? 3 : 5, bytes);
        check.check(name, rows, columns);

        SparseMatrix.Builder builder = new SparseMatrix.Builder(symmetry == Symmetry.GENERAL ? entries : 2 * entries);
        for (long read = 0; read < entries; read++) {
            String[] fields = entryLine(read, entries, pattern ? "row column" : "row column value");
            int row = index(fields[0], "row", rows);
            int column = index(fields[1], "column", columns);
            double value = pattern ? 1.0 : value(fields[2]);
            checkTriangle(row, column);
            builder.add(row, column, value);
            if (row != column && symmetry != Symmetry.GENERAL) {
                builder.add(column, row, symmetry == Symmetry.SKEW ? -value : value);
            }
        }
        expectEnd(entries);
        return builder.build(rows, columns, symmetry.word + "sparse, " + entries + " entries");
    }

    private MatrixSource array(long bytes, MatrixSource.SizeCheck check, Arena arena) throws IOException {
        String[] size = sizeLine(2, "rows columns");
        int rows = dimension(size[0], "rows");
        int columns = dimension(size[1], "columns");
        checkSymmetricSquare(rows, columns);
        long entries = switch (symmetry) {
            case GENERAL -> (long) rows * columns;
            case SYMMETRIC -> (long) rows * (rows + 1L) / 2;
            case SKEW -> (long) rows * (rows - 1L) / 2;
        };
        checkPossible(entries, 1, bytes);
        check.check(name, rows, columns);

        MemorySegment data = arena.allocate(ElementType.DOUBLE.bytes((long) rows * columns), Double.BYTES);
        long read = 0;
        for (int column = 0; column < columns; column++) {
            for (int row = symmetry == Symmetry.GENERAL ? 0 : symmetry == Symmetry.SKEW ? column + 1 : column; row < rows; row++) {
                double value = value(entryLine(read++, entries, "value")[0]);
                data.setAtIndex(ValueLayout.JAVA_DOUBLE, (long) column * rows + row, value);
                if (row != column && symmetry != Symmetry.GENERAL) {
                    data.setAtIndex(ValueLayout.JAVA_DOUBLE, (long) row * rows + column,
                            symmetry == Symmetry.SKEW ? -value : value);
                }
            }
        }
        expectEnd(entries);
        return new DenseMatrix(rows, columns, ElementType.DOUBLE, data, symmetry.word + "dense");
    }

    private void checkSymmetricSquare(int rows, int columns) {
        if (symmetry != Symmetry.GENERAL && rows != columns) {
            throw error(symmetry.word + "but " + rows + " x " + columns + " (expected: square)");
        }
    }

    /** A file cannot hold more entries than it has room for; found out before memory is taken for them. */
    private void checkPossible(long entries, int leastCharacters, long bytes) {
        if (bytes != Long.MAX_VALUE && entries > bytes / leastCharacters) {
            throw error(entries + " entries cannot be in a file of " + bytes + " bytes; is it truncated?");
        }
    }

    private void checkTriangle(int row, int column) {
        if (symmetry != Symmetry.GENERAL && row < column) {
            throw error("entry (" + (row + 1) + ", " + (column + 1) + ") is above the diagonal (expected: the lower "
                    + "triangle of a " + symmetry.word + "matrix)");
        }
        if (symmetry == Symmetry.SKEW && row == column) {
            throw error("entry (" + (row + 1) + ", " + (column + 1)
                    + ") is on the diagonal of a skew-symmetric matrix");
        }
    }

    /** The next line that is neither blank nor a comment, or null at the end. */
    private String nextContent() throws IOException {
        String line;
        do {
            lineNumber++;
            line = reader.readLine();
        } while (line != null && (line.isBlank() || line.charAt(0) == '%'));
        return line;
    }

    private String[] sizeLine(int count, String form) throws IOException {
        String line = nextContent();
        if (line == null) {
            throw error("the file ends before the size line (expected: " + form + ")");
        }
        return fields(line, count, form);
    }

    private String[] entryLine(long read, long entries, String form) throws IOException {
        String line = nextContent();
        if (line == null) {
            throw error("the file ends after " + read + " of " + entries + " entries; is it truncated?");
        }
        return fields(line, form.equals("value") ? 1 : pattern ? 2 : 3, form);
    }

    private String[] fields(String line, int count, String form) {
        String[] fields = line.strip().split("\\s+");
        if (fields.length != count) {
            throw error("'" + shortened(line) + "' (expected: " + form + ")");
        }
        return fields;
    }

    private void expectEnd(long entries) throws IOException {
        String line = nextContent();
        if (line != null) {
            throw error("'" + shortened(line) + "' after the last of " + entries + " entries (expected: end of file)");
        }
    }

    private int dimension(String text, String what) {
        long number = whole(text, what);
        if (number <= 0 || number > Integer.MAX_VALUE) {
            throw error(what + ": " + number + " (expected: 1.." + Integer.MAX_VALUE + ")");
        }
        return (int) number;
    }

    private int index(String text, String what, int bound) {
        long number = whole(text, what);
        if (number < 1 || number > bound) {
            throw error(what + " index " + number + " (expected: 1.." + bound + ")");
        }
        return (int) number - 1;
    }

    private long whole(String text, String what) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new UsageException(name + ":" + lineNumber + ": " + what + ": '" + shortened(text)
                    + "' (expected: a whole number)", e);
        }
    }

    /** Decimal only: Java also reads NaN, Infinity, hexadecimal and a trailing d or f, which this format has not. */
    private double value(String text) {
        if (!DECIMAL.matcher(text).matches()) {
            throw error("value '" + shortened(text) + "' (expected: a finite decimal number)");
        }
        double value = Double.parseDouble(text.replace('d', 'e').replace('D', 'e'));   // Fortran's exponent
        if (!Double.isFinite(value)) {
            throw error("value " + text + " is too large for a double");
        }
        if (integer && value != Math.rint(value)) {
            throw error("value " + text + " in a file of integers");
        }
        return value;
    }

    private static String shortened(String text) {
        return text == null ? "" : text.length() <= 60 ? text : text.substring(0, 57) + "...";
    }

    private UsageException error(String what) {
        return new UsageException(name + ":" + lineNumber + ": " + what);
    }
}
