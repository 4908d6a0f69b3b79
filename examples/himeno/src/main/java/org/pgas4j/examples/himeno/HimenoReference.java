package org.pgas4j.examples.himeno;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;

/**
 * The benchmark computed by plain loops in Java: pressures in float, the sum of the squared residuals in double. The
 * coefficients are numbers here; those that are 1 or 0 change no bit.
 *
 * @param pressure planes of the grid after the last iteration
 * @param gosa     sum of the squared residuals of the last iteration
 */
record HimenoReference(float[][] pressure, double gosa) {

    static HimenoReference of(HimenoCase of) {
        int planes = of.planes();
        int size = Math.multiplyExact(of.rows(), of.columns());
        float[][] old = new float[planes][size];
        float[][] next = new float[planes][size];
        for (int i = 0; i < planes; i++) {
            Arrays.fill(old[i], start(i, planes));
            Arrays.fill(next[i], start(i, planes));
        }
        double gosa = 0;
        for (int iteration = 0; iteration < of.iterations(); iteration++) {
            float[][] from = old;
            float[][] to = next;
            double[] sums = new double[planes];
            IntStream.range(1, planes - 1).parallel().forEach(i ->
                    sums[i] = plane(from[i - 1], from[i], from[i + 1], to[i], of.rows(), of.columns()));
            gosa = Arrays.stream(sums).sum();
            old = to;
            next = from;
        }
        return new HimenoReference(old, gosa);
    }

    /** Pressure of plane {@code i} at the start. */
    static float start(int i, int planes) {
        return (float) ((long) i * i) / (float) ((planes - 1L) * (planes - 1L));
    }

    private static double plane(float[] before, float[] at, float[] after, float[] to, int rows, int columns) {
        double sum = 0;
        for (int j = 1; j < rows - 1; j++) {
            for (int x = j * columns + 1; x < (j + 1) * columns - 1; x++) {
                float s0 = after[x] + at[x + columns] + at[x + 1] + before[x] + at[x - columns] + at[x - 1];
                float ss = s0 * (1f / 6) - at[x];
                sum += (double) ss * ss;
                to[x] = at[x] + Tiles.OMEGA * ss;
            }
        }
        return sum;
    }
}
