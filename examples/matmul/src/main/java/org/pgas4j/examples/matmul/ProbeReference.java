package org.pgas4j.examples.matmul;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.Vectors;

/**
 * Compares {@code C x} with {@code A (B x)} for 16 seeded vectors x of +1 and -1 (Freivalds' check). The mean of
 * {@code |(C - A B) x|^2} over such vectors is an unbiased estimate of {@code |C - A B|^2} in the Frobenius norm
 * (Hutchinson's estimator); a row with wrong elements shows in all of them but with probability 2^-16. It reads each
 * matrix once per comparison: 16 n^2 products instead of n^3.
 */
final class ProbeReference implements Reference {

    private static final int PROBES = 16;
    private static final long SEED = 0x70676173;

    private final int n;
    private final double[][] probes;
    private final double[][] expected;
    private final double normA;
    private final double normB;
    private final double normC;

    /** What a matrix makes of the vectors, and its own sum of squares. */
    private record Applied(double[][] vectors, double squares) {

        Applied plus(Applied other) {
            for (int p = 0; p < vectors.length; p++) {
                Vectors.addScaled(vectors[p], 1, other.vectors[p]);
            }
            return new Applied(vectors, squares + other.squares);
        }
    }

    ProbeReference(MatrixSource a, MatrixSource b) {
        n = a.columns();
        SplittableRandom random = new SplittableRandom(SEED);
        probes = new double[PROBES][n];
        for (double[] probe : probes) {
            for (int i = 0; i < n; i++) {
                probe[i] = random.nextBoolean() ? 1 : -1;
            }
        }
        Applied timesB = apply(b, probes);
        Applied timesA = apply(a, timesB.vectors);
        expected = timesA.vectors;
        normA = Math.sqrt(timesA.squares);
        normB = Math.sqrt(timesB.squares);
        double squares = 0;
        for (double[] vector : expected) {
            squares += Vectors.squares(vector);
        }
        normC = Math.sqrt(squares / PROBES);
    }

    /** {@code M x} for each x, the columns of M shared out to the processors. */
    private static Applied apply(MatrixSource matrix, double[][] x) {
        int columns = matrix.columns();
        int parts = Math.min(columns, ForkJoinPool.getCommonPoolParallelism() + 1);
        List<Applied> sums = IntStream.range(0, parts).parallel().mapToObj(part -> {
            double[][] y = new double[x.length][matrix.rows()];
            double[] column = new double[matrix.rows()];
            double squares = 0;
            int end = (int) ((part + 1L) * columns / parts);
            for (int j = (int) ((long) part * columns / parts); j < end; j++) {
                matrix.column(j, column);
                squares += Vectors.squares(column);
                for (int p = 0; p < x.length; p++) {
                    Vectors.addScaled(y[p], x[p][j], column);
                }
            }
            return new Applied(y, squares);
        }).toList();
        return sums.stream().reduce(Applied::plus).orElseThrow();
    }

    @Override
    public String method() {
        return "probes";
    }

    @Override
    public double relativeError(MatrixSource c) {
        double[][] found = apply(c, probes).vectors;
        double squares = 0;
        for (int p = 0; p < PROBES; p++) {
            squares += Vectors.squaredDistance(found[p], expected[p]);
        }
        return References.relative(Math.sqrt(squares / PROBES), normA, normB, normC);
    }

    @Override
    public double tolerance(ElementType type) {
        return References.tolerance(type, n, normA, normB, normC);
    }
}
