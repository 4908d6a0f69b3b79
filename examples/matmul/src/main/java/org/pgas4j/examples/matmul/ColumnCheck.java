package org.pgas4j.examples.matmul;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.Matmul.Dtype;
import org.pgas4j.examples.matmul.io.Vectors;

/**
 * Some columns of C = A * B without BLAS, in double, from the elements as they are kept on the devices: all columns of a small
 * matrix, else seeded random ones, two of each rank's at least. An element's residual is its difference from there over
 * {@code u max(|c|, s) + v |a| |b|}, where u and v are the relative errors of rounding an element and a sum, |a| and |b| the
 * Euclidean norms of the row and the column, and s = |a| |b| / sqrt(k) the usual size of an element of random matrices. The largest
 * must be below 16, the limit of HPL's scaled residual. Bytes must be exact. Any thread.
 */
final class ColumnCheck {

    /** Largest residual of a correct product. */
    static final double LIMIT = 16;

    private static final long SEED = 0x70676173;
    private static final int MAX_ALL = 256;
    private static final int MIN_COLUMNS = 16;

    private final Dtype dtype;
    private final int[] columns;
    private final double[][] expected;
    private final double[] rowNorms;
    private final double[] columnNorms;
    private final int inner;

    /** Sums over a part of the inner dimension. */
    private record Part(double[][] columns, double[] squares) {

        Part plus(Part other) {
            for (int c = 0; c < columns.length; c++) {
                Vectors.addScaled(columns[c], 1, other.columns[c]);
            }
            Vectors.addScaled(squares, 1, other.squares);
            return this;
        }
    }

    /** @param parts blocks of columns of C, of each of which some are checked */
    ColumnCheck(Inputs inputs, Dtype dtype, int parts) {
        this.dtype = dtype;
        this.inner = inputs.n();
        this.columns = chosen(inputs.columns(), parts);
        double[][] right = new double[columns.length][];
        this.columnNorms = new double[columns.length];
        for (int c = 0; c < columns.length; c++) {
            right[c] = kept(inputs.b().column(columns[c]));
            columnNorms[c] = Math.sqrt(Vectors.squares(right[c]));
        }
        int threads = Math.min(inner, ForkJoinPool.getCommonPoolParallelism() + 1);
        Part all = IntStream.range(0, threads).parallel().mapToObj(part -> part(inputs, right, (int) ((long) part * inner / threads),
                (int) ((part + 1L) * inner / threads))).reduce(Part::plus).orElseThrow();
        this.expected = all.columns;
        this.rowNorms = IntStream.range(0, inputs.rows()).mapToDouble(i -> Math.sqrt(all.squares[i])).toArray();
    }

    private static int[] chosen(int columns, int parts) {
        if (columns <= MAX_ALL) {
            return IntStream.range(0, columns).toArray();
        }
        SplittableRandom random = new SplittableRandom(SEED);
        int width = Math.ceilDiv(columns, parts);
        return IntStream.range(0, Math.max(MIN_COLUMNS, 2 * parts)).map(i -> {
            int first = Math.min(columns - 1, i % parts * width);
            return random.nextInt(first, Math.min(columns, first + width));
        }).toArray();
    }

    private double[] kept(double[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = dtype.kept(values[i]);
        }
        return values;
    }

    private Part part(Inputs inputs, double[][] right, int from, int to) {
        Part sums = new Part(new double[columns.length][inputs.rows()], new double[inputs.rows()]);
        double[] column = new double[inputs.rows()];
        for (int l = from; l < to; l++) {
            inputs.a().column(l, column);
            kept(column);
            for (int c = 0; c < columns.length; c++) {
                Vectors.addScaled(sums.columns[c], right[c][l], column);
            }
            for (int i = 0; i < column.length; i++) {
                sums.squares[i] += column[i] * column[i];
            }
        }
        return sums;
    }

    /** Numbers of the columns that are checked. */
    int[] columns() {
        return columns;
    }

    /** {@code all columns}, or how many. */
    String method(int of) {
        return columns.length == of ? "all" : columns.length + " columns";
    }

    /**
     * Largest residual of a column; infinite where an element is no number.
     *
     * @param which  place of its number in {@link #columns()}
     * @param values the elements, of C's type
     */
    double residual(int which, MemorySegment values) {
        ElementType type = dtype.resultType();
        double largest = 0;
        for (int i = 0; i < rowNorms.length; i++) {
            double is = element(type, values, i);
            double should = expected[which][i];
            double difference = dtype == Dtype.INT8 ? is - (int) (long) should : is - should;
            double norms = rowNorms[i] * columnNorms[which];
            double scale = dtype.roundoff() * Math.max(Math.abs(should), norms / Math.sqrt(inner)) + dtype.roundoffOfSums() * norms;
            double residual = difference == 0 ? 0 : Math.abs(difference) / scale;
            largest = Math.max(largest, Double.isNaN(residual) ? Double.POSITIVE_INFINITY : residual);
        }
        return largest;
    }

    private static double element(ElementType type, MemorySegment values, long i) {
        return switch (type) {
            case DOUBLE -> values.get(ElementType.LAYOUT_DOUBLE, i * Double.BYTES);
            case FLOAT -> values.get(ElementType.LAYOUT_FLOAT, i * Float.BYTES);
            case INT -> values.get(ElementType.LAYOUT_INT, i * Integer.BYTES);
            default -> type.toFloat(values.get(ElementType.LAYOUT_SHORT, i * Short.BYTES));
        };
    }
}
