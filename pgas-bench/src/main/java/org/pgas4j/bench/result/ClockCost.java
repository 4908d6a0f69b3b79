package org.pgas4j.bench.result;

import java.util.Arrays;

/** Time that one reading of {@link System#nanoTime} takes, measured once: what a timed operation has too much. */
public final class ClockCost {

    private static final int WARM_UPS = 20_000;
    private static final int SAMPLES = 1_001;
    private static final int READINGS = 16;

    private static final double NS = measure();

    private ClockCost() {
    }

    /** Nanoseconds, the lower decile of many, as what disturbs them only adds. */
    public static double ns() {
        return NS;
    }

    /** A time between two readings without what one takes; at least 1, as less cannot be told from nothing. */
    public static double without(double ns) {
        return Math.max(1, ns - NS);
    }

    private static double measure() {
        double[] each = new double[SAMPLES];
        long sink = 0;
        for (int i = 0; i < WARM_UPS; i++) {
            sink += System.nanoTime();
        }
        for (int i = 0; i < SAMPLES; i++) {
            long begin = System.nanoTime();
            for (int k = 1; k < READINGS; k++) {
                sink ^= System.nanoTime();
            }
            each[i] = (double) (System.nanoTime() - begin) / READINGS;
        }
        Arrays.sort(each);
        return sink == 1 ? 0 : each[SAMPLES / 10]; // so that no reading is left out
    }
}
