package org.pgas4j.bench.study;

import java.util.Arrays;

/**
 * Decides when times have settled: windows of operations are compared, and the medians of the last {@value #WINDOWS} and of the
 * {@value #WINDOWS} before them differ by no more than {@link #TOLERANCE}. A median, so that single disturbed windows do not
 * delay it. Memory of fixed size.
 */
public final class SettledTimes {

    /** Share by which two medians may differ. */
    public static final double TOLERANCE = 0.02;

    private static final int WINDOWS = 8;

    private final double[] means = new double[2 * WINDOWS];
    private int windows;

    /** Adds the mean time of a window of operations. */
    public void add(double mean) {
        means[windows++ % means.length] = mean;
    }

    /** True if the last windows are alike. */
    public boolean isSettled() {
        if (windows < means.length) {
            return false;
        }
        double earlier = median(windows);
        double later = median(windows + WINDOWS);
        return Math.abs(later - earlier) <= TOLERANCE * Math.max(earlier, later);
    }

    /** Of the windows from one that was added as number {@code first}, modulo what is remembered. */
    private double median(int first) {
        double[] sorted = new double[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            sorted[i] = means[(first + i) % means.length];
        }
        Arrays.sort(sorted);
        return (sorted[WINDOWS / 2 - 1] + sorted[WINDOWS / 2]) / 2;
    }
}
