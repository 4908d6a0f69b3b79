package org.pgas4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/** What one setting of the message routes does; each launch measures one part with one setting. Rank 0 measures. */
final class AblationStudy {

    /** The operation of which a sample is many, one after the other. */
    static final String RATE = "memput_rate";
    static final String FASTPATH = "fastpath";
    static final String PIPELINE = "pipeline";
    static final String REGISTRATION = "registration";
    static final String HELPER = "helper";

    private static final long LARGE = 64 << 20;
    private static final long LARGE_QUICK = 8 << 20;
    private static final long MIDDLE = 1 << 20;
    private static final int BUFFERS = 8;
    private static final int MESSAGES = 10_000;
    private static final double HELPER_KERNEL_MS = 1;
    private static final long SEED = 31;
    private static final byte UNTOUCHED = 0x5a;

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean first;
    private final Turns turns;

    AblationStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.first = rank.rank() == 0;
        this.turns = new Turns(rank, options.measureNs(), options.rounds());
    }

    static List<String> parts() {
        return List.of(FASTPATH, PIPELINE, REGISTRATION, HELPER);
    }

    /** Bytes of shared heap of either kind. */
    static long heapBytes(StudyOptions options) {
        return 2 * large(options) + (1 << 20);
    }

    private static long large(StudyOptions options) {
        return options.quick() ? LARGE_QUICK : LARGE;
    }

    /** Collective. */
    void run() {
        switch (options.part()) {
            case FASTPATH -> {
                transfers(8, true, true, false);
                transfers(8192, true, false, false);
            }
            case PIPELINE -> transfers(large(options), false, false, true);
            case REGISTRATION -> temporaries();
            case HELPER -> new HelperStudy(rank, options, row -> out.accept(row.in("ablation"))).run(HELPER_KERNEL_MS);
            default -> throw new IllegalArgumentException("part: " + options.part() + " (expected: one of " + parts() + ")");
        }
    }

    private void emit(String op, String from, String route, long bytes, Histogram times, long wrong, boolean rate) {
        if (first) {
            Times summary = Times.of(times, rate ? MESSAGES : 1);
            Row row = options.label(new Row("ablation", op, from, "device", route, rank.processes(), bytes, summary,
                    Double.NaN, wrong, Map.of()), "runtime").with("part", options.part());
            out.accept(rate ? row.with("messages_per_s", 1e6 / summary.p50()) : row);
        }
    }

    /** Puts between devices: alone if wanted, with a fence, many of them if wanted; gets if wanted. */
    private void transfers(long bytes, boolean alone, boolean many, boolean gets) {
        SharedPointer source;
        SharedPointer target;
        try (Scope _ = rank.onDevice()) {
            source = rank.allAlloc(rank.ranks(), bytes);
            target = rank.allAlloc(rank.ranks(), bytes);
        }
        SharedPointer there = target.onRank(1);
        SharedPointer sourceThere = source.onRank(1);
        Buffer own = rank.memory().local(source.onRank(rank.rank()), ElementType.BYTE, bytes);
        Buffer arrived = rank.memory().local(target.onRank(rank.rank()), ElementType.BYTE, bytes);
        Data.write(rank, own, SEED);
        Data.clear(rank, arrived, UNTOUCHED);
        rank.barrier();
        String route = rank.diagnostics().route(MemoryKind.DEVICE, there, bytes);
        if (alone) {
            Histogram[] times = turns.measure(() -> put(there, own), () -> putAndFence(there, own));
            long wrong = wrongAtTarget(arrived);
            emit("memput", "device", route, bytes, times[0], wrong, false);
            emit("memput_fence", "device", route, bytes, times[1], wrong, false);
        } else {
            Histogram[] times = turns.measure(() -> putAndFence(there, own));
            emit("memput_fence", "device", route, bytes, times[0], wrongAtTarget(arrived), false);
        }
        if (many) {
            Histogram[] times = turns.measureFixed(options.quick() ? 10 : 100, 2, () -> putMany(there, own));
            emit(RATE, "device", route, bytes, times[0], wrongAtTarget(arrived), true);
        }
        if (gets) {
            Data.clear(rank, arrived, UNTOUCHED);
            Histogram[] times = turns.measure(() -> get(arrived, sourceThere));
            long wrong = rank.collectives().broadcast(first ? Data.wrong(rank, arrived, SEED) : 0, 0);
            emit("memget", "device", route, bytes, times[0], wrong, false);
        }
        rank.barrier();
        rank.allFree(target);
        rank.allFree(source);
    }

    /** Puts of host memory that is not the system's own: some buffers, one after the other. */
    private void temporaries() {
        SharedPointer target;
        try (Scope _ = rank.onDevice()) {
            target = rank.allAlloc(rank.ranks(), MIDDLE);
        }
        SharedPointer there = target.onRank(1);
        Buffer arrived = rank.memory().local(target.onRank(rank.rank()), ElementType.BYTE, MIDDLE);
        Data.clear(rank, arrived, UNTOUCHED);
        try (Arena arena = Arena.ofConfined()) {
            Buffer[] buffers = new Buffer[BUFFERS];
            for (int i = 0; i < BUFFERS; i++) {
                MemorySegment memory = arena.allocate(MIDDLE, 4096);
                Data.fill(memory, MIDDLE, SEED);
                buffers[i] = Buffer.ofHost(memory, ElementType.BYTE);
            }
            rank.barrier();
            int[] next = {0};
            Histogram[] times = turns.measure(() -> put(there, buffers[next[0]++ % BUFFERS]),
                    () -> putAndFence(there, buffers[next[0]++ % BUFFERS]));
            long wrong = wrongAtTarget(arrived);
            String route = rank.diagnostics().route(MemoryKind.HOST, there, MIDDLE);
            emit("memput", "host", route, MIDDLE, times[0], wrong, false);
            emit("memput_fence", "host", route, MIDDLE, times[1], wrong, false);
            rank.barrier();
        }
        rank.allFree(target);
    }

    private long wrongAtTarget(Buffer arrived) {
        rank.barrier();
        return rank.collectives().broadcast(first ? 0 : Data.wrong(rank, arrived, SEED), 1);
    }

    // ---- steps

    private long put(SharedPointer there, Buffer source) {
        long ns = 0;
        if (first) {
            long begin = System.nanoTime();
            rank.memput(there, source);
            ns = System.nanoTime() - begin;
        }
        rank.barrier();
        return ns;
    }

    private long putAndFence(SharedPointer there, Buffer source) {
        long ns = 0;
        if (first) {
            long begin = System.nanoTime();
            rank.memput(there, source);
            rank.fence();
            ns = System.nanoTime() - begin;
        }
        rank.barrier();
        return ns;
    }

    /** Time of one of many. */
    private long putMany(SharedPointer there, Buffer source) {
        long ns = 0;
        if (first) {
            long begin = System.nanoTime();
            for (int i = 0; i < MESSAGES; i++) {
                rank.memput(there, source);
            }
            rank.fence();
            ns = (System.nanoTime() - begin) / MESSAGES;
        }
        rank.barrier();
        return ns;
    }

    private long get(Buffer target, SharedPointer there) {
        if (!first) {
            return 0;
        }
        long begin = System.nanoTime();
        rank.memget(target, there);
        return System.nanoTime() - begin;
    }
}
