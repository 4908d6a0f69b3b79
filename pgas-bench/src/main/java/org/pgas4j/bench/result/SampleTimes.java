package org.pgas4j.bench.result;

import org.HdrHistogram.Histogram;

/**
 * Times of an operation, microseconds. A sample of a short operation is the mean of a batch of them, and percentiles of means
 * are not those of operations: where a batch has more than one, or its size is not known, the tail is that of operations timed
 * one by one as well, or NaN where there are none. A percentile q is NaN where fewer than 10 of them lie beyond it, that is with
 * fewer than 10 / (1 - q).
 *
 * @param p50     median of the samples
 * @param p99     percentile of single operations; NaN if not known
 * @param p999    99.9th percentile of single operations; NaN if not known
 * @param max     longest single operation; NaN if not known
 * @param mean    average
 * @param samples number of samples
 * @param batch   operations of a sample; {@link #UNKNOWN} if not known
 * @param singles operations timed one by one, of which the tail is
 * @param encoded all samples, picoseconds, as {@link HistogramLog} encodes them; null if they are not kept
 */
public record SampleTimes(double p50, double p99, double p999, double max, double mean, long samples, long batch, long singles,
        String encoded) {

    public static final long UNKNOWN = 0;

    private static final double PS_PER_US = 1e6;
    private static final long HIGHEST_PS = 1_000_000_000_000_000L;
    private static final int DIGITS = 3;
    private static final long SAMPLES_FOR_P99 = 1_000;
    private static final long SAMPLES_FOR_P999 = 10_000;

    public SampleTimes {
        p99 = p99(p99, singles);
        p999 = p999(p999, singles);
        max = singles > 0 ? max : Double.NaN;
    }

    /** Times of samples that are not kept; the tail is theirs if each is of one operation. */
    public SampleTimes(double p50, double p99, double p999, double max, double mean, long samples, long batch) {
        this(p50, p99, p999, max, mean, samples, batch, batch == 1 ? samples : 0, null);
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
        return of(histogram, batch, batch == 1 ? histogram : null);
    }

    /**
     * Summary of samples, with the tail of single operations.
     *
     * @param samples picoseconds per operation
     * @param batch   operations of a sample; {@link #UNKNOWN} if not known
     * @param singles picoseconds of operations timed one by one; null if there are none
     */
    public static SampleTimes of(Histogram samples, long batch, Histogram singles) {
        Histogram tail = singles == null ? histogram() : singles;
        return new SampleTimes(median(samples), percentile(tail, 99), percentile(tail, 99.9), tail.getMaxValue() / PS_PER_US,
                samples.getMean() / PS_PER_US, samples.getTotalCount(), batch, tail.getTotalCount(), HistogramLog.encode(samples));
    }

    private static double percentile(Histogram histogram, double percent) {
        return histogram.getValueAtPercentile(percent) / PS_PER_US;
    }

    /** Median of a histogram of picoseconds. */
    public static double median(Histogram histogram) {
        return histogram.getValueAtPercentile(50) / PS_PER_US;
    }

    /** A 99th percentile of single operations, or NaN if it has too few samples. */
    public static double p99(double value, long samples) {
        return samples >= SAMPLES_FOR_P99 ? value : Double.NaN;
    }

    /** A 99.9th percentile of single operations, or NaN if it has too few samples. */
    public static double p999(double value, long samples) {
        return samples >= SAMPLES_FOR_P999 ? value : Double.NaN;
    }
}
