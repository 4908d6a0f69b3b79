package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.io.DenseMatrix;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.SparseMatrix;
import org.pgas4j.examples.matmul.io.Vectors;

/**
 * C = A * B without BLAS, in double, from the values of A and B before any rounding to float: in full where that takes seconds, by
 * probing otherwise. Any thread.
 */
abstract class ProductReference {

    /** Largest n whose whole product is kept for comparison, 512 MiB of doubles. */
    static final int MAX_STORED = 8192;
    private static final int MAX_DENSE = 2500;
    private static final double MAX_SPARSE_PRODUCTS = 2e10;

    private final String method;
    private final int n;
    private final double normA;
    private final double normB;
    private double normC;

    private ProductReference(String method, MatrixSource a, MatrixSource b) {
        this.method = method;
        this.n = a.columns();
        this.normA = norm(a);
        this.normB = b == a ? normA : norm(b);
    }

    /** The most thorough that takes seconds. */
    static ProductReference of(MatrixSource a, MatrixSource b) {
        int n = a.columns();
        if (a instanceof SparseMatrix sparse && n <= MAX_STORED && (double) sparse.stored() * n <= MAX_SPARSE_PRODUCTS) {
            return sparse(sparse, b);
        }
        return n <= MAX_DENSE ? dense(a, b) : new ProbeReference(a, b);
    }

    /** Every element, sparse A times any B. */
    static ProductReference sparse(SparseMatrix a, MatrixSource b) {
        return new FullReference("sparse", a, b, (x, y) -> {
            for (int g = 0; g < x.length; g++) {
                a.multiplyAdd(x[g], y[g]);
            }
        });
    }

    /** Every element, any A times any B; A is held as n arrays of n doubles. */
    static ProductReference dense(MatrixSource a, MatrixSource b) {
        double[][] columns = new double[a.columns()][a.rows()];
        for (int k = 0; k < columns.length; k++) {
            a.column(k, columns[k]);
        }
        return new FullReference("full", a, b, (x, y) -> {
            for (int k = 0; k < columns.length; k++) {
                for (int g = 0; g < x.length; g++) {
                    Vectors.addScaled(y[g], x[g][k], columns[k]);
                }
            }
        });
    }

    /** {@code |c - A * B|} in the Frobenius norm; NaN if c has a NaN. */
    abstract double distance(MatrixSource c);

    /** {@code full}, {@code sparse} or {@code probes}. */
    String method() {
        return method;
    }

    /** {@code |c - A * B| / |A * B|} in the Frobenius norm, relative to |A| |B| where A * B is zero; NaN if c has a NaN. */
    double relativeError(MatrixSource c) {
        double distance = distance(c);
        return distance == 0 ? 0 : distance / (normC > 0 ? normC : normA * normB);
    }

    /** The largest relative error of a correct product computed in {@code type}. */
    double tolerance(ElementType type) {
        return tolerance(type, n, normA, normB, normC);
    }

    /**
     * Largest difference of a correct product. Rounding gives at most {@code gamma(n) |A| |B|} in the Frobenius norm, in
     * practice about {@code u sqrt(n)} times |A| |B| / sqrt(n); where A * B is small beside that, because much
     * cancelled, the allowance relative to |A * B| grows with it.
     */
    static double tolerance(ElementType type, int n, double normA, double normB, double normC) {
        double unitRoundoff = type == ElementType.FLOAT ? 0x1p-24 : 0x1p-53;
        double least = type == ElementType.FLOAT ? 1e-5 : 1e-12;
        double growth = normC > 0 ? Math.max(1, normA * normB / (normC * Math.sqrt(n))) : 1;
        return Math.max(least, 2 * unitRoundoff * Math.sqrt(n)) * growth;
    }

    private static double norm(MatrixSource matrix) {
        return Math.sqrt(IntStream.range(0, matrix.columns()).parallel().mapToDouble(j ->
                Vectors.squares(matrix.column(j))).sum());
    }

    /** The whole product, by plain Java loops over columns, kept off-heap: n x n doubles, column-major. */
    private static final class FullReference extends ProductReference {

        /** Columns of B taken together, so that each column of A, once in the cache, serves all of them. */
        private static final int GROUP = 8;

        private final MatrixSource expected;

        /** {@code multiplyAdd} adds A times each x to each y. */
        FullReference(String method, MatrixSource a, MatrixSource b, BiConsumer<double[][], double[][]> multiplyAdd) {
            super(method, a, b);
            int n = a.columns();
            MemorySegment memory = Arena.ofAuto().allocate(ElementType.DOUBLE.bytes((long) n * n), Double.BYTES);
            IntStream.range(0, Math.ceilDiv(n, GROUP)).parallel().forEach(group -> {
                int first = group * GROUP;
                int count = Math.min(GROUP, n - first);
                double[][] x = new double[count][n];
                double[][] y = new double[count][n];
                for (int g = 0; g < count; g++) {
                    b.column(first + g, x[g]);
                }
                multiplyAdd.accept(x, y);
                for (int g = 0; g < count; g++) {
                    MemorySegment.copy(y[g], 0, memory, ValueLayout.JAVA_DOUBLE, (first + g) * (long) n * Double.BYTES, n);
                }
            });
            expected = new DenseMatrix(n, n, ElementType.DOUBLE, memory, "reference");
            super.normC = norm(expected);
        }

        @Override
        double distance(MatrixSource c) {
            return Math.sqrt(IntStream.range(0, c.columns()).parallel().mapToDouble(j ->
                    Vectors.squaredDistance(c.column(j), expected.column(j))).sum());
        }
    }

    /**
     * Compares {@code C x} with {@code A (B x)} for 16 seeded vectors x of +1 and -1 (Freivalds' check). The mean of
     * {@code |(C - A B) x|^2} over such vectors is an unbiased estimate of {@code |C - A B|^2} in the Frobenius norm
     * (Hutchinson's estimator); a row with wrong elements shows in all of them but with probability 2^-16. It reads each
     * matrix once per comparison: 16 n^2 products instead of n^3.
     */
    static final class ProbeReference extends ProductReference {

        private static final int PROBES = 16;
        private static final long SEED = 0x70676173;

        private final double[][] probes;
        private final double[][] expected;

        ProbeReference(MatrixSource a, MatrixSource b) {
            super("probes", a, b);
            SplittableRandom random = new SplittableRandom(SEED);
            probes = new double[PROBES][a.columns()];
            for (double[] probe : probes) {
                for (int i = 0; i < probe.length; i++) {
                    probe[i] = random.nextBoolean() ? 1 : -1;
                }
            }
            expected = multiply(a, multiply(b, probes));
            super.normC = rootMeanSquare(expected, new double[PROBES][a.columns()]);
        }

        /** {@code M x} for each x, the columns of M shared out to the processors. */
        private static double[][] multiply(MatrixSource matrix, double[][] x) {
            int columns = matrix.columns();
            int parts = Math.min(columns, ForkJoinPool.getCommonPoolParallelism() + 1);
            return IntStream.range(0, parts).parallel().mapToObj(part -> {
                double[][] y = new double[x.length][matrix.rows()];
                double[] column = new double[matrix.rows()];
                int end = (int) ((part + 1L) * columns / parts);
                for (int j = (int) ((long) part * columns / parts); j < end; j++) {
                    matrix.column(j, column);
                    for (int p = 0; p < x.length; p++) {
                        Vectors.addScaled(y[p], x[p][j], column);
                    }
                }
                return y;
            }).reduce((sum, part) -> {
                for (int p = 0; p < sum.length; p++) {
                    Vectors.addScaled(sum[p], 1, part[p]);
                }
                return sum;
            }).orElseThrow();
        }

        private static double rootMeanSquare(double[][] x, double[][] y) {
            return Math.sqrt(IntStream.range(0, PROBES).mapToDouble(p -> Vectors.squaredDistance(x[p], y[p])).sum() / PROBES);
        }

        @Override
        double distance(MatrixSource c) {
            return rootMeanSquare(multiply(c, probes), expected);
        }
    }
}
