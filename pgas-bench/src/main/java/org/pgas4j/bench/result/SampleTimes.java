package org.pgas4j.bench.result;

import org.HdrHistogram.Histogram;

/**
 * Times of an operation, microseconds. A sample of a short operation is the mean of a batch of them, and percentiles of means
 * are not those of operations: where a batch has more than one, or its size is not known, the tail is NaN. A percentile q is
 * NaN as well where fewer than 10 samples lie beyond it, that is with fewer than 10 / (1 - q).
 *
 * @param p50     median of the samples
 * @param p99     percentile of single operations; NaN if not known
 * @param p999    99.9th percentile of single operations; NaN if not known
 * @param max     longest single operation; NaN if not known
 * @param mean    average
 * @param samples number of samples
 * @param batch   operations of a sample; {@link #UNKNOWN} if not known
 */
public record SampleTimes(double p50, double p99, double p999, double max, double mean, long samples, long batch) {

    public static final long UNKNOWN = 0;

    private static final double PS_PER_US = 1e6;
    private static final long HIGHEST_PS = 1_000_000_000_000_000L;
    private static final int DIGITS = 3;
    private static final long SAMPLES_FOR_P99 = 1_000;
    private static final long SAMPLES_FOR_P999 = 10_000;

    public SampleTimes {
        p99 = tail(p99, samples, batch, SAMPLES_FOR_P99);
        p999 = tail(p999, samples, batch, SAMPLES_FOR_P999);
        max = tail(max, samples, batch, 1);
    }

    /** Empty histogram of picoseconds. */
    public static Histogram histogram() {
        return new Histogram(HIGHEST_PS, DIGITS);
    }

    /** Adds a time in nanoseconds. */
    public static void record(Histogram into, double ns) {
        into.recordValue(Math.clamp(Math.round(ns * 1000), 1, HIGHEST_PS));
    }

    /**
     * Summary of a histogram.
     *
     * @param histogram of picoseconds per operation
     * @param batch     operations of a sample; {@link #UNKNOWN} if not known
     */
    public static SampleTimes of(Histogram histogram, long batch) {
        return new SampleTimes(histogram.getValueAtPercentile(50) / PS_PER_US, histogram.getValueAtPercentile(99) / PS_PER_US,
                histogram.getValueAtPercentile(99.9) / PS_PER_US, histogram.getMaxValue() / PS_PER_US,
                histogram.getMean() / PS_PER_US, histogram.getTotalCount(), batch);
    }

    /** Median of a histogram of picoseconds. */
    public static double median(Histogram histogram) {
        return histogram.getValueAtPercentile(50) / PS_PER_US;
    }

    /** A 99th percentile of single operations, or NaN if it has too few samples. */
    public static double p99(double value, long samples) {
        return tail(value, samples, 1, SAMPLES_FOR_P99);
    }

    /** A 99.9th percentile of single operations, or NaN if it has too few samples. */
    public static double p999(double value, long samples) {
        return tail(value, samples, 1, SAMPLES_FOR_P999);
    }

    private static double tail(double value, long samples, long batch, long needed) {
        return batch == 1 && samples >= needed ? value : Double.NaN;
    }
}
