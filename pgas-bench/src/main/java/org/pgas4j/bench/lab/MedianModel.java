package org.pgas4j.bench.lab;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Prediction of a point's median from what an idle owner takes and from the settings alone. A request that comes while the
 * owner is in a kernel waits: without a helper for the rest of the kernel, whose length is even between nothing and all of it;
 * with {@code auto} until the threshold at most; with a helper not at all. In an open loop requests queue for their requester, by
 * the recursion of D. Lindley (The theory of queues with a single server, 1952); they are due at the point's share of the rate
 * that the model itself has for one after the other. An operation that is waited for together with the
 * kernel takes their sum without a helper, and the longer of both with one.
 */
public final class MedianModel {

    private static final int REQUESTS = 20_001;
    private static final int QUANTILES = 10_000;

    private final double[] idleNs; // quantiles of the times beside an idle owner
    private final double thresholdNs;
    private final long seed;

    /**
     * Model for one helper and operation.
     *
     * @param idle        times beside an idle owner
     * @param unitNs      nanoseconds of a unit of the histogram
     * @param thresholdNs how long a request waits before {@code auto} serves it
     */
    public MedianModel(Histogram idle, double unitNs, double thresholdNs, long seed) {
        this.idleNs = quantiles(idle, unitNs, QUANTILES);
        this.thresholdNs = thresholdNs;
        this.seed = seed;
    }

    /** Values at the middles of equal shares of a histogram, in nanoseconds. */
    static double[] quantiles(Histogram times, double unitNs, int count) {
        double[] quantiles = new double[count];
        int at = 0;
        for (HistogramIterationValue step : times.recordedValues()) {
            double share = (double) step.getTotalCountToThisValue() / times.getTotalCount();
            for (; at < count && (at + 0.5) / count <= share; at++) {
                quantiles[at] = step.getValueIteratedTo() * unitNs;
            }
        }
        return quantiles;
    }

    /** Median of a point, microseconds. */
    public double medianUs(LabPoint point) {
        SplittableRandom random = new SplittableRandom(seed);
        double kernelNs = point.kernelNs();
        String helper = point.text(LabPoint.HELPER);
        double load = point.number(LabPoint.LOAD);
        DoubleSupplier service = () -> serviceNs(random, kernelNs, helper);
        double[] times = new double[REQUESTS];
        if (point.text(LabPoint.OPERATION).equals("overlap")) {
            Arrays.setAll(times, _ -> helper.equals("off") ? kernelNs + drawNs(random) : Math.max(kernelNs, drawNs(random)));
        } else if (load > 0) {
            double meanGapNs = DoubleStream.generate(service).limit(REQUESTS).average().orElseThrow() / load;
            queue(times, service, OpenLoop.gaps(REQUESTS, meanGapNs, point.text(LabPoint.ARRIVALS).equals("poisson"), seed));
        } else {
            Arrays.setAll(times, _ -> service.getAsDouble());
        }
        Arrays.sort(times);
        return times[REQUESTS / 2] / 1e3;
    }

    private static void queue(double[] times, DoubleSupplier service, long[] gapsNs) {
        double waits = 0;
        for (int i = 0; i < times.length; i++) {
            double served = service.getAsDouble();
            times[i] = waits + served;
            waits = Math.max(0, times[i] - (i + 1 < gapsNs.length ? gapsNs[i + 1] : 0));
        }
    }

    private double serviceNs(SplittableRandom random, double kernelNs, String helper) {
        double rest = random.nextDouble() * kernelNs;
        double waits = switch (helper) {
            case "off" -> rest;
            case "auto" -> Math.min(rest, thresholdNs);
            default -> 0;
        };
        return drawNs(random) + waits;
    }

    /** A time beside an idle owner. */
    private double drawNs(SplittableRandom random) {
        return idleNs[random.nextInt(QUANTILES)];
    }
}
