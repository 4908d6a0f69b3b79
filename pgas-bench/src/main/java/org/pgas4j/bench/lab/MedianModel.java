package org.pgas4j.bench.lab;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;

/**
 * Prediction of a point's median from what an idle owner takes and from the settings alone. A request that comes while the
 * owner is in a kernel waits: without a helper for the rest of the kernel, whose length is even between nothing and all of it;
 * with {@code auto} until the threshold at most; with a helper not at all, but where that parks until it looks again. In an open loop
 * requests queue for their requester, by the recursion of D. Lindley (The theory of queues with a single server, 1952); they are due
 * at the point's share of the rate that the model itself has for one after the other. An operation that is waited for together with
 * the kernel takes their sum without a helper, and the longer of both with one.
 *
 * <p>In a closed loop the requests come at the moments that {@link EvenPauses} gives, and as many as the point had: the median of ten
 * of them is the fifth shortest, which is shorter than that of many.
 */
public final class MedianModel {

    private static final int REQUESTS = 20_001;
    private static final double NS_PER_US = 1e3;
    /** Ends of the parks of {@link org.pgas4j.helper.HelperThreads}: so many of each length, the next twice as long. */
    private static final int PARKS = 64;
    private static final double PARK_NS = 20_000;
    private static final double MAX_PARK_NS = 1_000_000;
    /** Time by which a park of Linux ends late, unless a thread sets another: timer slack, PR_SET_TIMERSLACK(2const). */
    private static final double TIMER_SLACK_NS = 50_000;

    private final TimeQuantiles idle;
    private final double thresholdNs;
    private final long seed;

    /**
     * Model for one helper and operation.
     *
     * @param idle        times beside an idle owner
     * @param thresholdNs how long a request waits before {@code auto} serves it
     */
    public MedianModel(TimeQuantiles idle, double thresholdNs, long seed) {
        this.idle = idle;
        this.thresholdNs = thresholdNs;
        this.seed = seed;
    }

    /**
     * Median of a point, microseconds.
     *
     * @param samples number of requests of the point, at least 1
     */
    public double medianUs(LabPoint point, long samples) {
        return medianUs(point, samples, point.kernelNs());
    }

    /**
     * Median of a point, microseconds.
     *
     * @param samples  number of requests of the point, at least 1
     * @param kernelNs time that the owner's turns take without requests: with its start, and its last kernel to the end, a turn is
     *                 longer than the point says
     */
    public double medianUs(LabPoint point, long samples, double kernelNs) {
        SplittableRandom random = new SplittableRandom(seed);
        String helper = point.text(LabPoint.HELPER);
        double load = point.number(LabPoint.LOAD);
        double[] times = new double[REQUESTS];
        if (point.text(LabPoint.OPERATION).equals("overlap")) {
            Arrays.setAll(times, _ -> helper.equals("off") ? kernelNs + idle.drawNs(random) : Math.max(kernelNs, idle.drawNs(random)));
        } else if (load > 0) {
            DoubleSupplier service = () -> idle.drawNs(random) + waitNs(point, random.nextDouble() * kernelNs, random);
            double meanGapNs = DoubleStream.generate(service).limit(REQUESTS).average().orElseThrow() / load;
            queue(times, service, OpenLoop.gaps(REQUESTS, meanGapNs, point.text(LabPoint.ARRIVALS).equals("poisson"), seed));
        } else {
            return closedNs(point, (int) Math.min(samples, REQUESTS), kernelNs, random) / NS_PER_US;
        }
        return median(times) / NS_PER_US;
    }

    private static double median(double[] times) {
        Arrays.sort(times);
        return times[(times.length + 1) / 2 - 1]; // as histograms have it
    }

    /** Median of the medians of runs of {@code count} requests. */
    private double closedNs(LabPoint point, int count, double kernelNs, SplittableRandom random) {
        double[] medians = new double[REQUESTS / count | 1];
        for (int run = 0; run < medians.length; run++) {
            EvenPauses pauses = new EvenPauses(Math.max(1, point.kernelNs()), random);
            double[] times = new double[count];
            Arrays.setAll(times, _ -> idle.drawNs(random) + waitNs(point, kernelNs - pauses.nextNs(), random));
            medians[run] = median(times);
        }
        return median(medians);
    }

    private static void queue(double[] times, DoubleSupplier service, long[] gapsNs) {
        double waits = 0;
        for (int i = 0; i < times.length; i++) {
            double served = service.getAsDouble();
            times[i] = waits + served;
            waits = Math.max(0, times[i] - (i + 1 < gapsNs.length ? gapsNs[i + 1] : 0));
        }
    }

    /** Time that a request waits of which the owner's kernel takes another {@code restNs}. */
    private double waitNs(LabPoint point, double restNs, SplittableRandom random) {
        double seenNs = point.text("pgas.helper.wait").equals("park") ? random.nextDouble() * parkNs(point.kernelNs()) : 0;
        return switch (point.text(LabPoint.HELPER)) {
            case "off" -> restNs;
            case "auto" -> Math.min(restNs, Math.max(thresholdNs, seenNs));
            case "on" -> Math.min(restNs, seenNs);
            default -> 0;
        };
    }

    /** Length of the park of a helper that has had nothing to do for a time. */
    private static double parkNs(double idleNs) {
        double park = PARK_NS;
        for (double left = idleNs - PARKS * (park + TIMER_SLACK_NS); left > 0 && park < MAX_PARK_NS;
                left -= PARKS * (park + TIMER_SLACK_NS)) {
            park = Math.min(MAX_PARK_NS, 2 * park);
        }
        return park + TIMER_SLACK_NS;
    }
}
