package org.pgas4j.bench.lab;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.pgas4j.bench.result.SampleTimes;

/** A distribution of times as values at the middles of equal shares, in nanoseconds. Immutable. */
public final class TimeQuantiles {

    private static final int COUNT = 10_000;
    private static final double NS_PER_PS = 1e-3;
    private static final double NS_PER_US = 1e3;

    private final double[] ns = new double[COUNT];

    private TimeQuantiles() {
    }

    /** Times of a histogram of picoseconds. */
    public static TimeQuantiles of(Histogram times) {
        TimeQuantiles quantiles = new TimeQuantiles();
        int at = 0;
        for (HistogramIterationValue step : times.recordedValues()) {
            double share = (double) step.getTotalCountToThisValue() / times.getTotalCount();
            for (; at < COUNT && middle(at) <= share; at++) {
                quantiles.ns[at] = step.getValueIteratedTo() * NS_PER_PS;
            }
        }
        return quantiles;
    }

    /**
     * Times of which only a summary is known: the lower half at the median, the upper half on lines between the percentiles that
     * there are, with the 90th such that the mean is right, as far as that is possible between its neighbours. Where the far
     * percentiles are known, the longest time is one of all; else the line goes on to it.
     */
    public static TimeQuantiles of(SampleTimes summary) {
        double median = summary.p50();
        double last = Math.max(median, summary.max());
        double far = Double.isFinite(summary.p999()) ? summary.p999() : summary.p99();
        double beforeLast = 1 - 1.0 / summary.samples();
        double[][] all = {{0.5, median}, {0.9, 0}, {0.99, summary.p99()}, {0.999, summary.p999()}, {beforeLast, far},
            {Double.isFinite(far) ? beforeLast : 1, last}, {1, last}};
        double[][] known = Arrays.stream(all).filter(point -> Double.isFinite(point[1])).toArray(double[][]::new);
        double mean = 0.5 * median;
        for (int i = 1; i < known.length; i++) {
            mean += (known[i][0] - known[i - 1][0]) * (known[i][1] + known[i - 1][1]) / 2;
        }
        double weight = (known[2][0] - known[0][0]) / 2; // of the 90th percentile in the mean
        known[1][1] = Math.clamp((summary.mean() - mean) / weight, median, known[2][1]);
        TimeQuantiles quantiles = new TimeQuantiles();
        int line = 0;
        for (int i = 0; i < COUNT; i++) {
            while (known[line + 1][0] < middle(i)) {
                line++;
            }
            double begin = known[line][0];
            double part = Math.max(0, middle(i) - begin) / Math.max(1e-12, known[line + 1][0] - begin);
            quantiles.ns[i] = NS_PER_US * (known[line][1] + part * (known[line + 1][1] - known[line][1]));
        }
        return quantiles;
    }

    private static double middle(int index) {
        return (index + 0.5) / COUNT;
    }

    /** A time at random, nanoseconds. */
    double drawNs(SplittableRandom random) {
        return ns[random.nextInt(COUNT)];
    }

    /** Mean, nanoseconds. */
    double meanNs() {
        return Arrays.stream(ns).average().orElseThrow();
    }

    /** Median, nanoseconds. */
    double medianNs() {
        return ns[COUNT / 2];
    }
}
