package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.HelperStats;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.lab.EvenPauses;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.lab.OpenLoop;
import org.pgas4j.bench.lab.RequestParts;
import org.pgas4j.bench.result.ClockCost;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Points of an experiment on helper threads that share a launch: rank 1 owns the memory and does what the point says, all others
 * request meanwhile, each its own part of the memory, or all the same word by atomic operations. A point's row has both sides: the
 * requesters' times and rates; how much longer the owner's turns take, and processor time of helpers. All data that arrives is
 * checked.
 */
public final class LabStudy extends Study {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long SEED = 29;
    private static final int CLEARED = 0x44;
    /** Time before the end of a pause in which a requester spins, as parked ones come back late: where each rank has a processor. */
    private static final long PARK_FROM_NS = 3_000_000;
    private static final long PARK_FROM_IF_CROWDED_NS = 200_000;
    private static final int CALIBRATIONS = 200;
    private static final int MIN_SAMPLES = 10;
    private static final int FIRST_TURNS = 2;
    private static final int TAG = 3;
    private static final int OWNER = 1;
    private static final long LINE = 128;
    private static final double NS_PER_US = 1e3;

    private final double seconds;
    private final int samples;
    private final SplittableRandom random;
    private final int requesters;
    private final boolean owns;
    private final int slot; // number of this requester
    private final long parkFromNs;
    private SharedPointer memory;
    private SharedPointer there;
    private MemorySegment stopHere;
    private SharedPointer stopThere;
    private MemorySegment word;
    private Buffer buffer;
    private long stops;
    private long added;

    /**
     * Study of some points.
     *
     * @param seconds that a point may measure
     * @param samples that a point has at most
     */
    public LabStudy(Rank rank, StudyOptions options, double seconds, int samples, Consumer<Row> out) {
        super(rank, options, out);
        this.seconds = seconds;
        this.samples = samples;
        this.random = new SplittableRandom(options.measuring().seed() + ((long) rank.rank() << Integer.SIZE));
        this.requesters = rank.ranks() - 1;
        this.owns = rank.rank() == OWNER;
        this.slot = first ? 0 : rank.rank() - 1;
        boolean crowded = Runtime.getRuntime().availableProcessors() <= rank.ranks();
        this.parkFromNs = crowded ? PARK_FROM_IF_CROWDED_NS : PARK_FROM_NS;
    }

    /** Bytes of shared heap of either kind that points need. */
    public static long heapBytes(List<LabPoint> points) {
        long bytes = points.stream().mapToLong(point -> (long) point.number(LabPoint.BYTES) * point.requesters()).max().orElse(0);
        return 4 * bytes + (1 << 20);
    }

    /** Collective: measures points one after the other. */
    public void run(List<LabPoint> points) {
        SharedPointer flags;
        try (Scope _ = rank.offDevice()) {
            flags = rank.allAlloc(rank.ranks(), LINE * requesters);
        }
        stopHere = rank.local(flags.onRank(rank.rank()));
        stopHere.asSlice(0, LINE * requesters).fill((byte) 0);
        stopThere = flags.onRank(OWNER).cast(0, 1).plus(LINE * slot);
        try (Arena arena = Arena.ofConfined()) {
            word = arena.allocate(ValueLayout.JAVA_LONG);
            rank.barrier();
            for (LabPoint point : points) {
                measure(point);
            }
            rank.barrier();
        }
        rank.allFree(flags);
    }

    private void measure(LabPoint point) {
        long bytes = (long) point.number(LabPoint.BYTES);
        memory = onDevice(bytes * requesters);
        boolean atomic = point.text(LabPoint.OPERATION).equals("atomic");
        there = memory.onRank(OWNER).cast(0, 1).plus(atomic ? 0 : slot * bytes);
        buffer = rank.device().alloc(ElementType.BYTE, bytes);
        Buffer own = rank.memory().local(memory.onRank(rank.rank()), ElementType.BYTE, bytes * requesters);
        added = 0;
        PatternBytes.clear(rank, own, atomic ? 0 : CLEARED);
        if (point.text(LabPoint.OPERATION).equals("get")) {
            for (int i = 0; i < requesters; i++) {
                PatternBytes.write(rank, own.slice(i * bytes, bytes), SEED + i);
            }
        } else {
            PatternBytes.write(rank, buffer, SEED + slot);
        }
        OwnThreadGets gets = point.text(LabPoint.HELPER).equals(LabPoint.OWN) ? new OwnThreadGets(rank, bytes) : null;
        rank.barrier();
        if (gets != null && owns) {
            gets.serve(gpu ? OwnThreadCopies.onCuda(bytes, SEED) : OwnThreadCopies.onHost(bytes, SEED), point.text(LabPoint.INJECT));
        }
        Side side = owns ? new Owner(point) : new Requester(point, gets);
        side.run();
        emit(point, side, wrong(point, gets, own));
        rank.barrier();
        if (gets != null) {
            gets.close();
        }
        buffer.close();
        rank.allFree(memory);
    }

    /** Collective: wrong bytes of an operation more, beside an owner that looks after its requests. */
    private long wrong(LabPoint point, OwnThreadGets gets, Buffer own) {
        long wrong = 0;
        String operation = point.text(LabPoint.OPERATION);
        long sum = rank.allReduce(added, ReduceOp.SUM);
        if (!owns && operation.equals("get")) {
            PatternBytes.clear(rank, buffer, CLEARED);
            if (gets != null) {
                gets.get(buffer, new RequestParts(System::nanoTime, ClockCost.ns(), "none"));
            } else {
                rank.memget(buffer, there);
            }
            wrong = PatternBytes.wrong(rank, buffer, SEED + slot);
        } else if (first && operation.equals("atomic")) {
            wrong = rank.atomics().get(there) == sum ? 0 : Long.BYTES;
        }
        rank.barrier();
        long bytes = own.length() / requesters;
        for (int i = 0; owns && !operation.equals("get") && !operation.equals("atomic") && i < requesters; i++) {
            wrong += PatternBytes.wrong(rank, own.slice(i * bytes, bytes), SEED + i);
        }
        return rank.allReduce(wrong, ReduceOp.SUM);
    }

    // ---- requesters

    /** A rank at a point. */
    private abstract static class Side {

        final Map<String, Object> found = new LinkedHashMap<>();
        final Histogram times = SampleTimes.histogram();
        long requests;
        long elapsedNs;
        boolean settled = true;

        abstract void run();
    }

    /** Part in a point of a rank that requests. */
    private final class Requester extends Side {

        private final LabPoint point;
        private final OwnThreadGets gets;
        private final RequestParts parts = new RequestParts(System::nanoTime, ClockCost.ns(), "none");
        private final Map<String, Histogram> partTimes = new LinkedHashMap<>();
        private final Map<String, Histogram> undelayed = new LinkedHashMap<>();
        private final Histogram injected = SampleTimes.histogram();
        private boolean recording;
        private boolean isUsual; // the last request had no delay, at a point where some have one

        Requester(LabPoint point, OwnThreadGets gets) {
            this.point = point;
            this.gets = gets;
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
            long beginNs = System.nanoTime();
            String arrivals = point.text(LabPoint.ARRIVALS);
            if (point.text(LabPoint.OPERATION).equals("overlap")) {
                overlap();
            } else if (arrivals.equals("closed")) {
                closed();
            } else {
                open(arrivals.equals("poisson"), requesters / perNs / point.number(LabPoint.LOAD));
            }
            elapsedNs = System.nanoTime() - beginNs;
            if (!point.text(LabPoint.OPERATION).equals("overlap")) {
                stop();
            }
            partTimes.forEach((part, histogram) -> found.put(part + "_p50_us", SampleTimes.median(histogram)));
            if (injected.getTotalCount() > 0) {
                found.put("injected_p50_us", SampleTimes.median(injected));
                undelayed.forEach((part, histogram) -> found.put(LabReport.UNDELAYED + part + "_p50_us",
                        SampleTimes.median(histogram)));
            }
        }

        /**
         * Until times have settled, for half of the point's time at most, beside other requesters for just that: mean of the last
         * requests, nanoseconds.
         */
        private double warmUp() {
            SettledTimes warmUp = new SettledTimes();
            long end = System.nanoTime() + Math.round(seconds * 1e9 / 2);
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
                } while ((requesters > 1 || !settled) && System.nanoTime() - end < 0);
                stop();
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
            return kept < MIN_SAMPLES || (requesters > 1 || kept < samples) && System.nanoTime() - endNs < 0;
        }

        private void open(boolean poisson, double meanNs) {
            int count = Math.clamp(Math.round(seconds * 1e9 / meanNs), MIN_SAMPLES, samples);
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
                more = i + 1 < samples && (i < MIN_SAMPLES || System.nanoTime() - end < 0);
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
                    rank.notifications().signal(OWNER, TAG);
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

        private void stop() {
            word.set(ValueLayout.JAVA_LONG, 0, ++stops);
            rank.memput(stopThere, word, Long.BYTES);
            rank.fence();
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

    // ---- owner

    /** The owner's part in a point. */
    private final class Owner extends Side {

        private final LabPoint point;
        private long turns;
        private long turnsNs;

        Owner(LabPoint point) {
            this.point = point;
        }

        @Override
        void run() {
            boolean idle = point.text(LabPoint.OWNER).equals("idle");
            boolean overlap = point.text(LabPoint.OPERATION).equals("overlap");
            try (OwnerLoad load = new OwnerLoad(rank, point.text(LabPoint.OWNER), point.kernelNs(), gpu)) {
                for (int i = 0; !idle && i < FIRST_TURNS; i++) {
                    load.turn(); // compiles kernels, and has libraries choose theirs
                }
                long alone = System.nanoTime() + Math.round(seconds * 1e9 / 5);
                while (!idle && (turns == 0 || System.nanoTime() - alone < 0)) {
                    turn(load);
                }
                found.put("turn_alone_us", idle ? Double.NaN : turnsNs / NS_PER_US / turns);
                rank.barrier();
                if (!overlap) {
                    untilStopped(load, idle);
                }
                rank.allReduce(0.0, ReduceOp.SUM); // of the requesters' rates
                rank.diagnostics().helperStats(); // what was before does not count
                rank.barrier();
                turns = 0;
                turnsNs = 0;
                long beganNs = System.nanoTime();
                long helpersNs = helpersNs();
                if (overlap) {
                    overlap(load);
                } else {
                    untilStopped(load, idle);
                }
                found.put("helpers_cpu_share", (double) (helpersNs() - helpersNs) / Math.max(1, System.nanoTime() - beganNs));
                found.put("turn_us", idle ? Double.NaN : turnsNs / NS_PER_US / Math.max(1, turns));
            }
        }

        private void untilStopped(OwnerLoad load, boolean idle) {
            stops++;
            while (!haveAllStopped()) {
                if (!idle) {
                    turn(load);
                }
                while (rank.progress()) {
                    // until nothing is left to do
                }
            }
        }

        private boolean haveAllStopped() {
            for (int i = 0; i < requesters; i++) {
                if ((long) WORD.getAcquire(stopHere, LINE * i) < stops) { // pairs with the requester's put
                    return false;
                }
            }
            return true;
        }

        private void overlap(OwnerLoad load) {
            do {
                rank.barrier();
                turn(load);
                rank.barrier();
            } while (rank.collectives().broadcast(0, 0) > 0);
        }

        private void turn(OwnerLoad load) {
            turnsNs += load.turn();
            turns++;
        }

        /** Processor time of helper threads, and of the program's own that serves. */
        private static long helpersNs() {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long ns = 0;
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("pgas-helper-") || thread.getName().equals("lab-own-thread")) {
                    ns += Math.max(0, threads.getThreadCpuTime(thread.threadId()));
                }
            }
            return ns;
        }
    }

    // ---- results

    private static final List<String> OWNERS = List.of("turn_alone_us", "turn_us", "helpers_cpu_share");

    /** Collective. */
    private void emit(LabPoint point, Side side, long wrong) {
        Map<String, Object> of = new LinkedHashMap<>(side.found);
        of.put("warm_up_settled", rank.allReduce(side.settled ? 1L : 0L, ReduceOp.MIN));
        of.put(LabPoint.REQUESTERS, (long) requesters);
        RequesterTotals totals = RequesterTotals.gather(rank, side.times, side.requests, side.elapsedNs);
        for (String key : OWNERS) {
            double value = side.found.get(key) instanceof Double own ? own : Double.NaN;
            of.put(key, Double.longBitsToDouble(rank.collectives().broadcast(Double.doubleToRawLongBits(value), OWNER)));
        }
        HelperStats stats = rank.diagnostics().helperStats();
        of.put("helper_requests", rank.collectives().broadcast(stats.requests(), OWNER));
        HelperStats.Phase[] phases = {stats.queueWait(), stats.wakeUp(), stats.copy(), stats.completion()};
        for (int i = 0; i < phases.length; i++) {
            double us = rank.collectives().broadcast(phases[i].p50Ns(), OWNER) / NS_PER_US;
            of.putIfAbsent(RequestParts.PARTS.get(i) + "_p50_us", us);
        }
        if (!first) {
            return;
        }
        of.putAll(totals.columns());
        of.put("slow_down", (double) of.get("turn_us") / (double) of.get("turn_alone_us"));
        long bytes = (long) point.number(LabPoint.BYTES);
        Row row = options.label(new Row("lab", point.text(LabPoint.OPERATION), "device", "device",
                rank.diagnostics().route(MemoryKind.DEVICE, there, bytes), rank.processes(), bytes,
                SampleTimes.of(totals.times(), 1), Double.NaN, wrong, Map.of()), point.text(LabPoint.HELPER).equals(LabPoint.OWN)
                ? "own thread" : "runtime").with(Row.HELPER, point.text(LabPoint.HELPER)).with(Row.SETTING, point.settings())
                .with(LabPoint.OWNER, point.text(LabPoint.OWNER)).with(Row.KERNEL_MS, point.number(LabPoint.KERNEL_MS))
                .with(LabPoint.ARRIVALS, point.text(LabPoint.ARRIVALS)).with(LabPoint.LOAD, point.number(LabPoint.LOAD))
                .with(LabPoint.INJECT, point.text(LabPoint.INJECT)).with(Row.POINT, point.toString());
        for (Map.Entry<String, Object> entry : of.entrySet()) {
            row = row.with(entry.getKey(), entry.getValue());
        }
        add(row);
    }
}
