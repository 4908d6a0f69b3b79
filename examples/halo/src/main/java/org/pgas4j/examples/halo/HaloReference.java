package org.pgas4j.examples.halo;

import java.util.stream.IntStream;
import org.pgas4j.examples.halo.Halo.HaloCase;

/** The boxes of all ranks as one, computed by plain loops in Java. */
final class HaloReference {

    private HaloReference() {
    }

    /** Value of the point at index {@code at} of a rank's box at the start. */
    static float start(int rank, long at) {
        return ((rank * 1_000_003L + at) * 2_654_435_761L >>> 16 & 1023) / 1024f;
    }

    /** After all periods: for each z, the rows one after the other, each {@code ranks * n} floats. */
    static float[][] of(HaloCase of, int ranks) {
        int n = of.side();
        int width = Math.multiplyExact(ranks, n);
        float[][] u = new float[n][Math.multiplyExact(n, width)];
        float[][] next = new float[n][n * width];
        for (int z = 0; z < n; z++) {
            for (int i = 0; i < n * width; i++) {
                u[z][i] = start(i % width / n, ((long) z * n + i / width) * n + i % n);
            }
        }
        float[] zero = new float[n * width];
        for (int period = 0; period < of.periods(); period++) {
            float[][] from = u;
            float[][] to = next;
            IntStream.range(0, n).parallel().forEach(z ->
                    plane(z > 0 ? from[z - 1] : zero, from[z], z < n - 1 ? from[z + 1] : zero, to[z], n, width));
            u = to;
            next = from;
        }
        return u;
    }

    private static void plane(float[] before, float[] u, float[] behind, float[] next, int n, int width) {
        for (int y = 0; y < n; y++) {
            for (int x = 0; x < width; x++) {
                int at = y * width + x;
                next[at] = SevenPoint.value(u[at], u[x > 0 ? at - 1 : at + width - 1], u[x < width - 1 ? at + 1 : at - width + 1],
                        y > 0 ? u[at - width] : 0, y < n - 1 ? u[at + width] : 0, before[at], behind[at]);
            }
        }
    }
}
