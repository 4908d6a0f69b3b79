package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
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
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.ClockCost;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Rank 0 gets 8 KiB from the device of rank 1, which launches kernels of a given length and waits for each, one after the
 * other; 0 means that it runs none and looks after its requests all the time. Gets start at random moments of a kernel. In
 * the user-level version rank 1 takes part between two kernels, when a flag requests it.
 */
public final class HelperStudy extends Study {

    public static final double[] KERNELS_MS = {0, 0.1, 1, 10, 100};

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long BYTES = 8192;
    private static final long REQUEST = 0;
    private static final long STOP = 128;
    private static final long FLAG_BYTES = 256;
    private static final long SEED = 23;
    private static final int CLEARED = 0x33;
    private static final int ROUNDS = 5;
    private static final int WARM_UPS = 100_000;
    private static final long WARM_UP_NS = 300_000_000L;
    private static final long WARM_UP_AGAIN_NS = 100_000_000L;
    private static final long QUICK_ROUND_NS = 1_000_000_000L;
    private static final long BRIEF_NS = 50_000_000L;
    private static final int BRIEF_ROUNDS = 2;
    private static final long ROUND_NS = 20_000_000_000L;
    private static final int MIN_GETS = 2;
    private static final long PARK_FROM_NS = 200_000;

    private static final int USER = 0;
    private static final int RUNTIME = 1;
    /** As the runtime's, at the same random moments, of an owner that runs no kernel: what pausing alone costs. */
    private static final int IDLE = 2;

    private final SplittableRandom random = new SplittableRandom(options.measuring().seed());
    private SharedPointer source;
    private SharedPointer there;
    private Buffer theirs;
    private Buffer target;
    private MemorySegment flags;
    private SharedPointer requestThere;
    private SharedPointer stopThere;
    private MemorySegment word;
    private UserLevel user;
    private long requests;
    private long stops;

    public HelperStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    public static long heapBytes() {
        return 1 << 20;
    }

    /** Collective. */
    public void run(double... kernelsMs) {
        SharedPointer shared;
        source = onDevice(BYTES);
        try (Scope _ = rank.offDevice()) {
            shared = rank.allAlloc(rank.ranks(), FLAG_BYTES);
        }
        there = source.onRank(1);
        theirs = rank.memory().local(source.onRank(rank.rank()), ElementType.BYTE, BYTES);
        target = rank.device().alloc(ElementType.BYTE, BYTES);
        flags = rank.local(shared.onRank(rank.rank()));
        flags.asSlice(0, FLAG_BYTES).fill((byte) 0);
        requestThere = shared.onRank(1).cast(0, 1).plus(REQUEST);
        stopThere = shared.onRank(1).cast(0, 1).plus(STOP);
        PatternBytes.write(rank, theirs, SEED);
        try (UserLevel transfers = new UserLevel(rank, BYTES); Arena arena = Arena.ofConfined()) {
            user = transfers;
            word = arena.allocate(ValueLayout.JAVA_LONG);
            rank.barrier();
            for (double ms : kernelsMs) {
                measure(ms);
            }
            rank.barrier();
        }
        target.close();
        rank.allFree(shared);
        rank.allFree(source);
    }

    private int samples(double kernelMs) {
        if (options.measuring().samples() > 0) {
            return options.measuring().samples();
        }
        if (options.quick()) {
            return kernelMs < 50 ? 50 : 20;
        }
        return kernelMs <= 1 ? 1000 : kernelMs <= 10 ? 300 : 100;
    }

    private void measure(double kernelMs) {
        long kernelNs = Math.round(kernelMs * 1e6);
        int samples = samples(kernelMs);
        Histogram[] times = {SampleTimes.histogram(), SampleTimes.histogram(), SampleTimes.histogram()};
        long[] wrong = new long[times.length];
        double[] stats = null;
        boolean brief = options.quick() && kernelNs > BRIEF_NS; // each get takes its time
        int rounds = brief ? BRIEF_ROUNDS : ROUNDS;
        for (int round = brief ? 0 : -1; round < rounds; round++) {
            int count = round < 0 ? WARM_UPS : samples * (round + 1) / rounds - samples * round / rounds;
            for (int style = 0; style < times.length; style++) {
                if (style == IDLE && (kernelNs == 0 || brief)) {
                    continue;
                }
                rank.diagnostics().helperStats(); // what was before does not count; takes half a millisecond
                rank.barrier(); // so that the first get finds the owner polling
                if (first) {
                    wrong[style] += gets(style == USER, kernelNs, count, round < 0 ? null : times[style]);
                } else {
                    own(style == USER, style == IDLE ? 0 : kernelNs);
                }
                rank.barrier();
                if (style == RUNTIME) {
                    stats = stats();
                }
            }
        }
        if (first) {
            emit("memget", "user-level", "direct-host", times[USER], Double.NaN, wrong[USER], kernelMs, null);
            String route = rank.diagnostics().route(MemoryKind.DEVICE, there, BYTES);
            emit("memget", "runtime", route, times[RUNTIME], SampleTimes.median(times[USER]), wrong[RUNTIME], kernelMs, stats);
            if (times[IDLE].getTotalCount() > 0) {
                emit("memget_idle", "runtime", route, times[IDLE], Double.NaN, wrong[IDLE], kernelMs, null);
            }
        }
    }

    // ---- rank 0

    /** Gets at random moments, as long as there is time, then one that is looked at; ends rank 1's kernels. Wrong bytes. */
    private long gets(boolean userLevel, long kernelNs, int count, Histogram into) {
        long end = System.nanoTime() + (into == null ? warmUpNs(kernelNs) : options.quick() ? QUICK_ROUND_NS : ROUND_NS);
        for (int i = 0; i < count && (i < MIN_GETS || System.nanoTime() - end < 0); i++) {
            pause(into == null ? 0 : random.nextLong(Math.max(1, kernelNs)));
            long begin = System.nanoTime();
            get(userLevel);
            long ns = System.nanoTime() - begin;
            if (into != null) {
                SampleTimes.record(into, ClockCost.without(ns));
            }
        }
        PatternBytes.clear(rank, target, CLEARED);
        get(userLevel);
        long wrong = PatternBytes.wrong(rank, target, SEED);
        tell(stopThere, ++stops);
        return wrong;
    }

    /** With long kernels the first ones have warmed the code up. */
    private long warmUpNs(long kernelNs) {
        return options.measuring().leastWarmUpNs(options.quick() && kernelNs > 0 ? WARM_UP_AGAIN_NS : WARM_UP_NS);
    }

    private void get(boolean userLevel) {
        if (userLevel) {
            tell(requestThere, ++requests);
            user.fetch(target);
        } else {
            rank.memget(target, there);
        }
    }

    private void tell(SharedPointer flag, long value) {
        word.set(ValueLayout.JAVA_LONG, 0, value);
        rank.memput(flag, word, Long.BYTES);
        rank.fence();
    }

    private static void pause(long ns) {
        long end = System.nanoTime() + ns;
        if (ns > PARK_FROM_NS) {
            LockSupport.parkNanos(ns - PARK_FROM_NS);
        }
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    // ---- rank 1

    private void own(boolean userLevel, long kernelNs) {
        SpinKernel kernel = new SpinKernel(rank, kernelNs);
        stops++;
        while ((long) WORD.getAcquire(flags, STOP) < stops) {
            if (userLevel && (long) WORD.getAcquire(flags, REQUEST) > requests) {
                requests++;
                user.answer(theirs);
            }
            if (kernelNs > 0) {
                kernel.run();
            }
            while (rank.progress()) {
                // until nothing is left to do
            }
            if (kernelNs == 0) {
                Thread.onSpinWait();
            }
        }
    }

    // ---- results

    private static final String[] PHASES = {"queue_wait", "wake_up", "copy", "completion"};
    private static final String[] POINTS = {"p50", "p99", "p999", "max"};

    /** Collective: what rank 1's helpers did; the number of requests, then microseconds phase by phase. */
    private double[] stats() {
        HelperStats own = rank.diagnostics().helperStats();
        HelperStats.Phase[] phases = {own.queueWait(), own.wakeUp(), own.copy(), own.completion()};
        double[] all = new double[1 + PHASES.length * POINTS.length];
        all[0] = rank.collectives().broadcast(own.requests(), 1);
        int next = 1;
        for (HelperStats.Phase phase : phases) {
            for (long ns : new long[] {phase.p50Ns(), phase.p99Ns(), phase.p999Ns(), phase.maxNs()}) {
                all[next++] = rank.collectives().broadcast(ns, 1) / 1e3;
            }
        }
        return all;
    }

    private void emit(String op, String style, String route, Histogram times, double baseline, long wrong,
                      double kernelMs, double[] stats) {
        Row row = options.label(new Row("helper", op, "device", "device", route, rank.processes(), BYTES,
                SampleTimes.of(times, 1), baseline, wrong, Map.of()), style).with(Row.KERNEL_MS, kernelMs);
        if (stats != null) {
            row = row.with("helper_requests", (long) stats[0]);
            long requests = (long) stats[0];
            int next = 1;
            for (String phase : PHASES) {
                for (String point : POINTS) {
                    double us = stats[next++];
                    row = row.with(phase + "_" + point + "_us", point.equals("p99") ? SampleTimes.p99(us, requests)
                            : point.equals("p999") ? SampleTimes.p999(us, requests) : us);
                }
            }
        }
        add(row);
    }
}
