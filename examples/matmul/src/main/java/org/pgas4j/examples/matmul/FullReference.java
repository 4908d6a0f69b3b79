package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.io.DenseMatrix;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.SparseMatrix;
import org.pgas4j.examples.matmul.io.Vectors;

/** The whole product, by plain Java loops over columns, kept off-heap: n x n doubles, column-major. */
final class FullReference implements Reference {

    /** Columns of B taken together, so that each column of A, once in the cache, serves all of them. */
    private static final int GROUP = 8;

    /** {@code y[g] += A * x[g]} for a group of vectors. */
    @FunctionalInterface
    private interface Apply {
        void apply(double[][] x, double[][] y);
    }

    private final String method;
    private final int n;
    private final MatrixSource expected;
    private final double normA;
    private final double normB;
    private final double normC;

    private FullReference(String method, MatrixSource a, MatrixSource b, Apply multiplyByA) {
        this.method = method;
        this.n = a.columns();
        MemorySegment memory = Arena.ofAuto().allocate(ElementType.DOUBLE.bytes((long) n * n), Double.BYTES);
        IntStream.range(0, Math.ceilDiv(n, GROUP)).parallel().forEach(group -> {
            int first = group * GROUP;
            int count = Math.min(GROUP, n - first);
            double[][] x = new double[count][n];
            double[][] y = new double[count][n];
            for (int g = 0; g < count; g++) {
                b.column(first + g, x[g]);
            }
            multiplyByA.apply(x, y);
            for (int g = 0; g < count; g++) {
                MemorySegment.copy(y[g], 0, memory, ValueLayout.JAVA_DOUBLE, (first + g) * (long) n * Double.BYTES, n);
            }
        });
        this.expected = new DenseMatrix(n, n, ElementType.DOUBLE, memory, "reference");
        this.normA = norm(a);
        this.normB = norm(b);
        this.normC = norm(expected);
    }

    /** Sparse A times any B. */
    static FullReference sparse(SparseMatrix a, MatrixSource b) {
        return new FullReference("sparse", a, b, (x, y) -> {
            for (int g = 0; g < x.length; g++) {
                a.multiplyAdd(x[g], y[g]);
            }
        });
    }

    /** Any A times any B; A is held as n arrays of n doubles. */
    static FullReference dense(MatrixSource a, MatrixSource b) {
        double[][] columns = new double[a.columns()][a.rows()];
        for (int k = 0; k < columns.length; k++) {
            a.column(k, columns[k]);
        }
        return new FullReference("full", a, b, (x, y) -> {
            int k = 0;
            for (; k + 4 <= columns.length; k += 4) {
                for (int g = 0; g < x.length; g++) {
                    Vectors.addScaled(y[g], x[g][k], columns[k], x[g][k + 1], columns[k + 1], x[g][k + 2],
                            columns[k + 2], x[g][k + 3], columns[k + 3]);
                }
            }
            for (; k < columns.length; k++) {
                for (int g = 0; g < x.length; g++) {
                    Vectors.addScaled(y[g], x[g][k], columns[k]);
                }
            }
        });
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public double relativeError(MatrixSource c) {
        double squares = IntStream.range(0, n).parallel().mapToDouble(j -> {
            double[] is = new double[n];
            double[] should = new double[n];
            c.column(j, is);
            expected.column(j, should);
            return Vectors.squaredDistance(is, should);
        }).sum();
        return References.relative(Math.sqrt(squares), normA, normB, normC);
    }

    @Override
    public double tolerance(ElementType type) {
        return References.tolerance(type, n, normA, normB, normC);
    }

    private static double norm(MatrixSource matrix) {
        return Math.sqrt(IntStream.range(0, matrix.columns()).parallel().mapToDouble(j -> {
            double[] column = new double[matrix.rows()];
            matrix.column(j, column);
            return Vectors.squares(column);
        }).sum());
    }
}
