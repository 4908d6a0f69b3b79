package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Small transfers between host memory of rank 0 and device memory of rank 1, complete at their target, by the route of the
 * launch: the resident block, the copy engine (direct), a helper thread (messages, helper on) or the owner's own thread
 * (messages, helper off). Then a matrix product on rank 0's device alone, beside a resident block without requests, and beside
 * puts at full rate.
 */
public final class ResidentStudy extends Study {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long[] SIZES = {8, 64, 112, 512, 4096, 8192};
    private static final long[] QUICK_SIZES = {8, 8192};
    private static final long LARGEST = 1 << 16;
    private static final long SEED = 17;
    private static final long WORD_BYTES = 256;
    private static final int GPU_ORDER = 4096;
    private static final int HOST_ORDER = 128;
    private static final int MAX_STARTING_PUTS = 20_000;
    private static final long ENDED_NS = 20_000_000; // by then a block without requests has ended

    private SharedBytes memory;
    private SharedPointer flags;
    private SharedPointer there;
    private long stops;
    private long sink;

    public ResidentStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    /** Bytes of each shared heap that the study needs. */
    public static long heapBytes() {
        return 1 << 20;
    }

    /** Collective. */
    public void run() {
        memory = device(LARGEST + WORD_BYTES);
        there = memory.pointer().onRank(other);
        try (Scope _ = rank.offDevice()) {
            flags = rank.allAlloc(rank.ranks(), WORD_BYTES);
        }
        rank.memset(flags.onRank(rank.rank()), 0, WORD_BYTES);
        rank.barrier();
        RawCuda raw = gpu ? new RawCuda(rank, LARGEST) : null;
        for (long size : options.sizes() != null ? options.sizes().stream().mapToLong(Long::longValue).toArray()
                : options.quick() ? QUICK_SIZES : SIZES) {
            put(raw, Math.min(size, LARGEST));
            get(raw, Math.min(size, LARGEST));
        }
        fetches();
        if (!isMessages()) {
            gemms();
        }
        rank.barrier();
        if (raw != null) {
            raw.close();
        }
        rank.allFree(flags);
        rank.allFree(memory);
    }

    private boolean isMessages() {
        String route = rank.diagnostics().route(MemoryKind.HOST, there, 8);
        return route.equals("fastpath") || route.equals("rendezvous");
    }

    // ---- transfers

    /** Collective: rank 0 measures; rank 1 computes meanwhile if there is a helper, else it looks after its requests. */
    private void beside(Runnable measure) {
        stops++;
        rank.barrier();
        if (first) {
            measure.run();
            stopOther();
        } else if ("on".equals(options.helper())) {
            try (Scope _ = rank.busy()) {
                MemorySegment own = rank.local(flags.onRank(rank.rank()));
                while ((long) WORD.getAcquire(own, 0L) < stops) {
                    Thread.onSpinWait();
                }
            }
        }
        rank.barrier();
    }

    private void stopOther() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
            word.set(ValueLayout.JAVA_LONG, 0, stops);
            rank.memput(flags.onRank(other), word, Long.BYTES);
            rank.fence();
        }
    }

    private void put(RawCuda raw, long size) {
        Sampler sampler = new Sampler(options);
        long[] served = new long[2];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment local = arena.allocate(size, 128);
            PatternBytes.fill(local, size, SEED);
            beside(() -> {
                sampler.measure(count -> {
                    for (int i = 0; i < count; i++) {
                        rank.rma().put(there, local, size, Completion.REMOTE);
                    }
                }, raw == null ? null : count -> {
                    for (int i = 0; i < count; i++) {
                        raw.copyIn(size);
                    }
                });
                count(served);
            });
        }
        long wrong = rank.collectives().broadcast(first ? 0 : PatternBytes.wrong(rank, memory.local().slice(0, size), SEED), 1);
        add("put", size, sampler, wrong, served);
    }

    private void get(RawCuda raw, long size) {
        PatternBytes.write(rank, memory.local().slice(0, size), SEED + 1);
        Sampler sampler = new Sampler(options);
        long[] served = new long[2];
        long[] wrong = new long[1];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment local = arena.allocate(size, 128);
            beside(() -> {
                sampler.measure(count -> {
                    for (int i = 0; i < count; i++) {
                        rank.memget(local, there, size);
                        sink += local.get(ValueLayout.JAVA_BYTE, 0);
                    }
                }, raw == null ? null : count -> {
                    for (int i = 0; i < count; i++) {
                        raw.copyOut(size);
                    }
                });
                count(served);
                local.fill((byte) 0);
                rank.memget(local, there, size);
                wrong[0] = PatternBytes.wrong(local, size, SEED + 1);
            });
        }
        add("get", size, sampler, wrong[0], served);
    }

    private void fetches() {
        SharedPointer word = there.cast(0, 1).plus(LARGEST);
        rank.memset(memory.pointer().onRank(rank.rank()).cast(0, 1).plus(LARGEST), 0, WORD_BYTES);
        rank.barrier();
        Sampler sampler = new Sampler(options);
        long[] served = new long[2];
        long[] wrong = new long[1];
        beside(() -> {
            long[] done = new long[1];
            sampler.measure(count -> {
                for (int i = 0; i < count; i++) {
                    sink += rank.atomics().fetchAdd(word, 1);
                }
                done[0] += count;
            }, null);
            count(served);
            wrong[0] = rank.atomics().get(word) == done[0] ? 0 : Long.BYTES;
        });
        add("fetch_add", Long.BYTES, sampler, wrong[0], served);
    }

    /** Transfers that the resident block has carried out, and all to rank 1. */
    private void count(long[] served) {
        for (RankCounters.Traffic line : rank.diagnostics().counters().traffic()) {
            if (line.peer() == other) {
                served[0] += line.route().equals("resident") ? line.calls() : 0;
                served[1] += line.calls();
            }
        }
    }

    private void add(String op, long size, Sampler sampler, long wrong, long[] served) {
        if (first) {
            String route = rank.diagnostics().route(MemoryKind.HOST, there, size);
            add(options.label(new Row("resident", op, "host", "device", route, rank.processes(), size, sampler.times(),
                    sampler.baseline(), wrong), "runtime")
                    .with("by_block_percent", served[1] == 0 ? 0.0 : 100.0 * served[0] / served[1]));
        }
    }

    // ---- a product beside them

    /** The product's time is from its launch to its end; the baseline of those beside something is that of the product alone. */
    private void gemms() {
        Histogram alone = SampleTimes.histogram();
        Histogram idle = SampleTimes.histogram();
        Histogram busy = SampleTimes.histogram();
        rank.barrier();
        if (first) {
            int order = gpu ? GPU_ORDER : HOST_ORDER;
            try (Buffer a = matrix(order); Buffer b = matrix(order); Buffer c = matrix(order); Arena arena = Arena.ofConfined()) {
                MemorySegment word = arena.allocate(8, 8);
                int rounds = options.quick() ? 20 : 100;
                for (int round = -rounds / 5; round < rounds; round++) {
                    LockSupport.parkNanos(ENDED_NS);
                    record(round < 0 ? null : alone, product(order, a, b, c, null));
                    start(word);
                    record(round < 0 ? null : idle, product(order, a, b, c, null));
                    start(word);
                    record(round < 0 ? null : busy, product(order, a, b, c, word));
                }
            }
            gemm("gemm_alone", alone, null);
            gemm("gemm_idle", idle, alone);
            gemm("gemm_busy", busy, alone);
        }
        rank.barrier();
    }

    private Buffer matrix(int order) {
        Buffer matrix = rank.device().allocFloats((long) order * order);
        rank.stream().fill(matrix, 0);
        rank.stream().sync();
        return matrix;
    }

    /** Puts until the resident block serves them, if there is one. */
    private void start(MemorySegment word) {
        long[] before = new long[2];
        count(before);
        boolean resident = rank.diagnostics().route(MemoryKind.HOST, there, 8).equals("resident");
        for (int i = 0; resident && i < MAX_STARTING_PUTS; i++) {
            rank.memput(there, word, 8);
            long[] now = new long[2];
            count(now);
            if (now[0] > before[0]) {
                return;
            }
        }
    }

    private long product(int order, Buffer a, Buffer b, Buffer c, MemorySegment puts) {
        long begin = System.nanoTime();
        rank.stream().gemm(order, order, order, a, b, c);
        while (puts != null && !rank.stream().isIdle()) {
            rank.memput(there, puts, 8);
        }
        rank.stream().sync();
        return System.nanoTime() - begin;
    }

    private static void record(Histogram into, long ns) {
        if (into != null) {
            SampleTimes.record(into, ns);
        }
    }

    private void gemm(String op, Histogram times, Histogram baseline) {
        add(options.label(new Row("resident", op, "device", "device", rank.diagnostics().route(MemoryKind.HOST, there, 8),
                rank.processes(), 0, times, 1, baseline, 0), "runtime"));
    }
}
