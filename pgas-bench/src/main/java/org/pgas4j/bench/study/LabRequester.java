package org.pgas4j.bench.study;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.lab.EvenPauses;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.lab.LabTime;
import org.pgas4j.bench.lab.OpenLoop;
import org.pgas4j.bench.lab.RequestParts;
import org.pgas4j.bench.result.ClockCost;
import org.pgas4j.bench.result.SampleTimes;

/** Part in a point of a rank that requests. */
final class LabRequester extends LabSide {

    private static final int CALIBRATIONS = 200;
    private static final int TAG = 3;
    /** Time before the end of a pause in which a requester spins, as parked ones come back late: where each rank has a processor. */
    private static final long PARK_FROM_NS = 3_000_000;
    private static final long PARK_FROM_IF_CROWDED_NS = 200_000;
    private static final double NS_PER_US = 1e3;

    private final Rank rank;
    private final LabPoint point;
    private final SharedPointer there;
    private final Buffer buffer;
    private final StopFlags flags;
    private final OwnThreadGets gets;
    private final double seconds;
    private final int samples;
    private final SplittableRandom random;
    private final long parkFromNs;
    private final RequestParts parts = new RequestParts(System::nanoTime, ClockCost.ns(), "none");
    private final Map<String, Histogram> partTimes = new LinkedHashMap<>();
    private final Map<String, Histogram> undelayed = new LinkedHashMap<>();
    private final Histogram injected = SampleTimes.histogram();
    private boolean recording;
    private boolean isUsual; // the last request had no delay, at a point where some have one

    /**
     * Part in one point.
     *
     * @param gets    serves the point; null for none
     * @param seconds that the point may measure
     * @param samples that the requester has at most
     */
    LabRequester(Rank rank, LabPoint point, LabData data, StopFlags flags, OwnThreadGets gets, double seconds, int samples,
            SplittableRandom random) {
        this.rank = rank;
        this.point = point;
        this.there = data.there();
        this.buffer = data.buffer();
        this.flags = flags;
        this.gets = gets;
        this.seconds = seconds;
        this.samples = samples;
        this.random = random;
        this.parkFromNs = Runtime.getRuntime().availableProcessors() <= rank.ranks() ? PARK_FROM_IF_CROWDED_NS : PARK_FROM_NS;
        if (gets != null) {
            RequestParts.PARTS.forEach(part -> partTimes.put(part, SampleTimes.histogram()));
            RequestParts.PARTS.forEach(part -> undelayed.put(part, SampleTimes.histogram()));
        }
    }

    @Override
    void run() {
        rank.barrier(); // the owner has measured its turns alone
        double perNs = rank.allReduce(1 / warmUp(), ReduceOp.SUM);
        recording = true;
        rank.barrier();
        long blocksBefore = callsByBlock();
        long beginNs = System.nanoTime();
        String arrivals = point.text(LabPoint.ARRIVALS);
        if (point.text(LabPoint.OPERATION).equals("overlap")) {
            overlap();
        } else if (arrivals.equals("closed")) {
            closed();
        } else {
            open(arrivals.equals("poisson"), point.requesters() / perNs / point.number(LabPoint.LOAD));
        }
        elapsedNs = System.nanoTime() - beginNs;
        byBlock = callsByBlock() - blocksBefore;
        if (!point.text(LabPoint.OPERATION).equals("overlap")) {
            flags.stop();
        }
        partTimes.forEach((part, histogram) -> found.put(part + "_p50_us", SampleTimes.median(histogram)));
        if (injected.getTotalCount() > 0) {
            found.put("injected_p50_us", SampleTimes.median(injected));
            undelayed.forEach((part, histogram) -> found.put(LabReport.UNDELAYED + part + "_p50_us",
                    SampleTimes.median(histogram)));
        }
    }

    @Override
    void rehearse(double seconds) {
        rank.barrier();
        long end = System.nanoTime() + Math.round(seconds * 1e9);
        do {
            request();
        } while (System.nanoTime() - end < 0);
        flags.stop();
    }

    /**
     * Until times have settled, for half of the point's time at most, beside other requesters for just that: mean of the last
     * requests, nanoseconds.
     */
    private double warmUp() {
        SettledTimes warmUp = new SettledTimes();
        long end = System.nanoTime() + Math.round(seconds * 1e9 * LabTime.WARM_UP_SHARE);
        double mean = 1;
        settled = point.text(LabPoint.OPERATION).equals("overlap");
        if (!point.text(LabPoint.OPERATION).equals("overlap")) {
            do {
                long begin = System.nanoTime();
                for (int i = 0; i < CALIBRATIONS && (i == 0 || System.nanoTime() - end < 0); i++) {
                    request();
                    mean = (double) (System.nanoTime() - begin) / (i + 1);
                }
                warmUp.add(mean);
                settled = warmUp.isSettled();
            } while ((point.requesters() > 1 || !settled) && System.nanoTime() - end < 0);
            flags.stop();
        }
        return mean;
    }

    private void closed() {
        EvenPauses pauses = new EvenPauses(point.maxPauseNs(), random);
        long end = System.nanoTime() + Math.round(seconds * 1e9);
        while (isBefore(end)) {
            pause(pauses.nextNs());
            long begin = System.nanoTime();
            request();
            long ns = System.nanoTime() - begin;
            requests++;
            if (times.getTotalCount() < samples && !isUsual) {
                SampleTimes.record(times, ClockCost.without(ns));
            }
        }
    }

    /** True until the time is up or there are enough samples; several requesters keep each other busy to the end of the time. */
    private boolean isBefore(long endNs) {
        long kept = times.getTotalCount();
        return kept < LabTime.MIN_SAMPLES || (point.requesters() > 1 || kept < samples) && System.nanoTime() - endNs < 0;
    }

    private void open(boolean poisson, double meanNs) {
        int count = Math.clamp(Math.round(seconds * 1e9 / meanNs), LabTime.MIN_SAMPLES, samples);
        OpenLoop loop = OpenLoop.run(count, meanNs, poisson, random.nextLong(), System::nanoTime, due -> {
            pause(Math.max(0, due - System.nanoTime()));
            return due;
        }, this::request);
        for (int i = 0; i < loop.count(); i++) {
            SampleTimes.record(times, loop.latencyNs(i));
        }
        requests = loop.count();
        found.put("mean_gap_us", meanNs / NS_PER_US);
        found.put("little_ratio", loop.littleRatio(times.getMean() / NS_PER_US));
    }

    /** Operation and the owner's kernel begin together, and end when both have. */
    private void overlap() {
        long end = System.nanoTime() + Math.round(seconds * 1e9);
        boolean more = true;
        for (int i = 0; more; i++) {
            rank.barrier();
            long begin = System.nanoTime();
            request();
            rank.barrier();
            SampleTimes.record(times, ClockCost.without(System.nanoTime() - begin));
            requests++;
            more = i + 1 < samples && (i < LabTime.MIN_SAMPLES || System.nanoTime() - end < 0);
            rank.collectives().broadcast(more ? 1 : 0, 0);
        }
    }

    private void request() {
        switch (point.text(LabPoint.OPERATION)) {
            case "get" -> get();
            case "atomic" -> {
                rank.atomics().fetchAdd(there, 1);
                added++;
            }
            case "notify" -> {
                rank.memput(there, buffer);
                rank.notifications().signal(LabStudy.OWNER, TAG);
                rank.fence();
            }
            default -> {
                rank.memput(there, buffer);
                rank.fence();
            }
        }
    }

    private void get() {
        if (gets == null) {
            rank.memget(buffer, there);
            return;
        }
        long delayNs = gets.get(buffer, parts);
        if (recording) {
            isUsual = delayNs == 0 && !point.text(LabPoint.INJECT).equals("none");
            (isUsual ? undelayed : partTimes).forEach((part, histogram) -> SampleTimes.record(histogram, parts.ns(part)));
            if (delayNs > 0) {
                SampleTimes.record(injected, delayNs);
            }
        }
    }

    private long callsByBlock() {
        return rank.diagnostics().counters().traffic().stream().filter(line -> line.route().equals(LabPoint.RESIDENT))
                .mapToLong(RankCounters.Traffic::calls).sum();
    }

    private void pause(long ns) {
        long end = System.nanoTime() + ns;
        if (ns > parkFromNs) {
            LockSupport.parkNanos(ns - parkFromNs);
        }
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
