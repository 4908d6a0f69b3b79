package org.pgas4j.bench.result;

import java.util.Arrays;

/**
 * Median of ratios that were measured in pairs, with an interval that holds the median of all such ratios with at least 95 %
 * confidence, for any distribution: between two order statistics (H. A. David, H. N. Nagaraja, Order Statistics, 2003,
 * section 7.1). With fewer than 6 pairs there is none, and the interval is that of all.
 */
public record PairedRatio(double median, double low, double high) {

    private static final double OUTSIDE = 0.025; // on either side

    /**
     * Ratios {@code numerators[i] / denominators[i]}.
     *
     * @throws IllegalArgumentException if there are none, or not as many of both
     */
    public static PairedRatio of(double[] numerators, double[] denominators) {
        if (numerators.length != denominators.length || numerators.length == 0) {
            throw new IllegalArgumentException("pairs of " + numerators.length + " and " + denominators.length
                    + " values (expected: as many of both, at least 1)");
        }
        double[] ratios = new double[numerators.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = numerators[i] / denominators[i];
        }
        Arrays.sort(ratios);
        int outside = outside(ratios.length);
        return new PairedRatio(median(ratios), ratios[outside], ratios[ratios.length - 1 - outside]);
    }

    /** Median of sorted values. */
    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Values on either side that the interval leaves out: each is below the median with probability 1/2. */
    static int outside(int count) {
        double probability = Math.pow(0.5, count); // that exactly `below` of them are
        double all = probability;
        int below = 0;
        while (all <= OUTSIDE && below < count) {
            probability *= (double) (count - below) / (below + 1);
            below++;
            all += probability;
        }
        return Math.max(0, below - 1);
    }
}
