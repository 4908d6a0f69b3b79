package org.pgas4j.bench.lab;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.pgas4j.bench.result.Row;

/**
 * Ratio of two measured values, with an interval of 95 %.
 *
 * @param low  of the interval
 * @param high of the interval
 */
public record Ratio(double ratio, double low, double high) {

    private static final double DEVIATIONS = 1.96; // of a normal distribution, 95 % within
    /** The same of Student's t distribution, for 1 degree of freedom and more. */
    private static final double[] STUDENT = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    private static final double PS_PER_US = 1e6;

    /**
     * Ratio of the medians of two sets of times: each median lies between two order statistics, by the normal approximation of the
     * binomial distribution (W. J. Conover, Practical Nonparametric Statistics, section 3.2), whatever the times' distribution; both
     * intervals together are one of the ratio's logarithm (G. Zou, A. Donner, Construction of confidence limits about effect
     * measures, 2008). Few times give a wide interval.
     *
     * @throws IllegalArgumentException if one has no values
     */
    public static Ratio ofMedians(Histogram times, Histogram others) {
        if (times.getTotalCount() == 0 || others.getTotalCount() == 0) {
            throw new IllegalArgumentException("medians of " + times.getTotalCount() + " and " + others.getTotalCount()
                    + " values (expected: 1 or more)");
        }
        Ratio one = ofMedian(times, 1);
        Ratio other = ofMedian(others, 1);
        double ratio = one.ratio / other.ratio;
        return new Ratio(ratio, ratio / Math.exp(Math.hypot(one.below(), other.above())),
                ratio * Math.exp(Math.hypot(one.above(), other.below())));
    }

    /** Ratio of the median of times to a time that is known; the interval is of the median alone. */
    public static Ratio ofMedian(Histogram times, double us) {
        double ps = us * PS_PER_US;
        return new Ratio(value(times, 0) / ps, value(times, -DEVIATIONS) / ps, value(times, DEVIATIONS) / ps);
    }

    /**
     * Ratio of the means of two {@link WorkTimes} of a row; the logarithm of the ratio has the sum of both relative variances. NaN
     * where the row has none.
     */
    public static Ratio ofMeans(Row row, String of, String to) {
        double ratio = row.number(WorkTimes.mean(of)) / row.number(WorkTimes.mean(to));
        double deviation = Math.sqrt(relativeVariance(row, of) + relativeVariance(row, to));
        return new Ratio(ratio, ratio * Math.exp(-DEVIATIONS * deviation), ratio * Math.exp(DEVIATIONS * deviation));
    }

    private static double relativeVariance(Row row, String name) {
        double relative = row.number(WorkTimes.deviation(name)) / row.number(WorkTimes.mean(name));
        return relative * relative / row.number(WorkTimes.turns(name));
    }

    /** Mean of ratios that were measured independently, with the interval of the mean. */
    public static Ratio mean(List<Ratio> ratios) {
        double mean = ratios.stream().mapToDouble(Ratio::ratio).average().orElseThrow();
        double half = Math.sqrt(ratios.stream().mapToDouble(ratio -> square((ratio.below() + ratio.above()) / 2)).sum()) / ratios.size();
        return new Ratio(mean, mean / Math.exp(half), mean * Math.exp(half));
    }

    /**
     * The same with an interval that is wider by as much as single launches differ beyond what their own intervals say (R. DerSimonian,
     * N. Laird, Meta-analysis in clinical trials, 1986): two launches that differ say little of the others. One launch says nothing.
     */
    public Ratio widened(List<Ratio> ofLaunches) {
        int launches = ofLaunches.size();
        if (launches < 2) {
            return this;
        }
        double mean = ofLaunches.stream().mapToDouble(one -> Math.log(one.ratio)).average().orElseThrow();
        double all = ofLaunches.stream().mapToDouble(one -> square(Math.log(one.ratio) - mean)).sum() / (launches - 1);
        double within = ofLaunches.stream().mapToDouble(one -> square((one.below() + one.above()) / 2 / DEVIATIONS)).average().orElseThrow();
        double student = launches - 2 < STUDENT.length ? STUDENT[launches - 2] : DEVIATIONS;
        double between = student * Math.sqrt(Math.max(0, all - within) / launches);
        return new Ratio(ratio, ratio / Math.exp(Math.hypot(below(), between)), ratio * Math.exp(Math.hypot(above(), between)));
    }

    private static double square(double value) {
        return value * value;
    }

    /** Length of the interval below the ratio, of logarithms. */
    private double below() {
        return Math.log(ratio / low);
    }

    private double above() {
        return Math.log(high / ratio);
    }

    /** The median, or the end of its interval on one side. */
    private static double value(Histogram times, double deviations) {
        long count = times.getTotalCount();
        double rank = count / 2.0 + deviations * Math.sqrt(count) / 2;
        return times.getValueAtPercentile(100 * Math.clamp(rank, 0, count) / count);
    }
}
