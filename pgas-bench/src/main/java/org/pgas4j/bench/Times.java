package org.pgas4j.bench;

import org.HdrHistogram.Histogram;

/**
 * What remains of a histogram: microseconds per operation.
 *
 * @param p50     median
 * @param p99     percentile
 * @param p999    99.9th percentile
 * @param max     longest
 * @param mean    average
 * @param samples how many
 */
record Times(double p50, double p99, double p999, double max, double mean, long samples) {

    private static final double PS_PER_US = 1e6;

    /** @param histogram of picoseconds */
    static Times of(Histogram histogram) {
        return new Times(histogram.getValueAtPercentile(50) / PS_PER_US, histogram.getValueAtPercentile(99) / PS_PER_US,
                histogram.getValueAtPercentile(99.9) / PS_PER_US, histogram.getMaxValue() / PS_PER_US,
                histogram.getMean() / PS_PER_US, histogram.getTotalCount());
    }
}
