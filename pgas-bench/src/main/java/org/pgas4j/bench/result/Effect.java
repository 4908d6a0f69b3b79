package org.pgas4j.bench.result;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Difference between two sets of values that were measured independently: the ratio of their medians with an interval of 95 %
 * by the percentile bootstrap (B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), and Cliff's delta
 * (N. Cliff, Dominance statistics, 1993). With fewer than {@value #MIN_VALUES} values on a side there is no interval.
 *
 * @param before median of the first
 * @param after  median of the second
 * @param low    of the interval of the ratio; NaN if there is none
 * @param high   of the interval of the ratio; NaN if there is none
 * @param delta  share of pairs in which the second is larger, less the share in which the first is
 */
public record Effect(double before, double after, double low, double high, double delta, int valuesBefore, int valuesAfter) {

    /** Values on either side that an interval needs. */
    public static final int MIN_VALUES = 5;

    private static final int RESAMPLES = 10_000;
    private static final double OUTSIDE = 0.025;

    /**
     * Effect of going from one set of values to another.
     *
     * @param seed of the bootstrap: one seed gives one result
     * @throws IllegalArgumentException if one has no values
     */
    public static Effect of(double[] before, double[] after, long seed) {
        if (before.length == 0 || after.length == 0) {
            throw new IllegalArgumentException("an effect of " + before.length + " and " + after.length
                    + " values (expected: 1 or more)");
        }
        double low = Double.NaN;
        double high = Double.NaN;
        if (Math.min(before.length, after.length) >= MIN_VALUES) {
            double[] ratios = resampled(before, after, new SplittableRandom(seed));
            low = ratios[(int) Math.floor(OUTSIDE * (RESAMPLES - 1))];
            high = ratios[(int) Math.ceil((1 - OUTSIDE) * (RESAMPLES - 1))];
        }
        return new Effect(Repeats.median(before), Repeats.median(after), low, high, delta(before, after), before.length,
                after.length);
    }

    private static double[] resampled(double[] before, double[] after, SplittableRandom random) {
        double[] ratios = new double[RESAMPLES];
        double[] some = new double[before.length];
        double[] others = new double[after.length];
        for (int i = 0; i < RESAMPLES; i++) {
            ratios[i] = median(after, others, random) / median(before, some, random);
        }
        Arrays.sort(ratios);
        return ratios;
    }

    /** Of as many values, drawn with replacement. */
    private static double median(double[] values, double[] drawn, SplittableRandom random) {
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = values[random.nextInt(values.length)];
        }
        Arrays.sort(drawn);
        return (drawn[(drawn.length - 1) / 2] + drawn[drawn.length / 2]) / 2;
    }

    private static double delta(double[] before, double[] after) {
        long sum = 0;
        for (double one : before) {
            for (double other : after) {
                sum += Double.compare(other, one);
            }
        }
        return (double) sum / before.length / after.length;
    }

    /** Ratio of the medians, second to first. */
    public double ratio() {
        return after / before;
    }

    /** True if there are values enough for an interval. */
    public boolean hasInterval() {
        return !Double.isNaN(low);
    }

    /** True if the whole interval lies above a ratio. */
    public boolean isAbove(double ratio) {
        return low > ratio;
    }

    /** True if the whole interval lies below a ratio. */
    public boolean isBelow(double ratio) {
        return high < ratio;
    }

    /** All of it by key. */
    public Map<String, Object> fields(String line) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("line", line);
        fields.put("before_us", before);
        fields.put("after_us", after);
        fields.put("launches_before", (long) valuesBefore);
        fields.put("launches_after", (long) valuesAfter);
        fields.put("ratio", ratio());
        fields.put("low", low);
        fields.put("high", high);
        fields.put("delta", delta);
        return fields;
    }
}
