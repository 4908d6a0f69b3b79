package org.pgas4j.bench.lab;

import org.HdrHistogram.Histogram;

/**
 * Ratio of the medians of two sets of times, with an interval of at least 95 %: each median lies between two order statistics with
 * 97.5 %, by the normal approximation of the binomial distribution (W. J. Conover, Practical Nonparametric Statistics, section 3.2),
 * whatever the times' distribution. Few times give a wide interval, up to the smallest and the largest.
 *
 * @param low  of the interval
 * @param high of the interval
 */
public record MedianRatio(double ratio, double low, double high) {

    private static final double DEVIATIONS = 2.2414; // of a normal distribution, 97.5 % within on both sides

    /**
     * Ratio of one to another.
     *
     * @throws IllegalArgumentException if one has no values
     */
    public static MedianRatio of(Histogram times, Histogram others) {
        if (times.getTotalCount() == 0 || others.getTotalCount() == 0) {
            throw new IllegalArgumentException("medians of " + times.getTotalCount() + " and " + others.getTotalCount()
                    + " values (expected: 1 or more)");
        }
        return new MedianRatio((double) value(times, 0) / value(others, 0), (double) value(times, -1) / value(others, 1),
                (double) value(times, 1) / value(others, -1));
    }

    /** The median, or a bound of its interval: the lower for -1, the upper for 1. */
    private static long value(Histogram times, int side) {
        long count = times.getTotalCount();
        double rank = count / 2.0 + side * DEVIATIONS * Math.sqrt(count) / 2;
        return times.getValueAtPercentile(100 * Math.clamp(rank, 0, count) / count);
    }
}
