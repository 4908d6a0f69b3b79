package org.pgas4j.examples.matmul.io;

import java.util.SplittableRandom;

/**
 * A matrix of uniform random values in [-1, 1). Each column has its own seed, so that a column is the same whichever rank makes it.
 *
 * @param seed   of a run
 * @param number 0 for A, 1 for B, which differ
 */
public record RandomMatrix(int rows, int columns, int seed, int number) implements MatrixSource {

    /** A square one. */
    public RandomMatrix(int size, int seed, int number) {
        this(size, size, seed, number);
    }

    @Override
    public void column(int column, double[] out) {
        SplittableRandom random = new SplittableRandom(2L * seed + number << 32 ^ column);
        for (int i = 0; i < rows; i++) {
            out[i] = (random.nextLong() >> 10) * 0x1p-53;
        }
    }

    @Override
    public String description() {
        return "uniform in [-1, 1), seed " + seed;
    }
}
