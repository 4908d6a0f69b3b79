package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Row;

/**
 * One-sided transfers and the barrier between two ranks, against the raw version of each in the same run: for host memory
 * a plain copy into memory that both map, and flags in it; for device memory a JCuda copy and synchronise. Rank 0
 * measures; rank 1 is passive in transfers and checks afterwards what arrived.
 */
public final class RmaStudy {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long LINE = 128;
    private static final int SLOTS = 64;
    private static final long PUT_SEED = 5;
    private static final long GET_SEED = 3;
    private static final int BATCH = 100; // implicit puts
    private static final long QUICK_NS = 5_000_000_000L;
    private static final long MAX_NS = 60_000_000_000L;

    private final Rank rank;
    private final StudyOptions options;
    private final boolean quick;
    private final long[] sizes;
    private final String memory;
    private final long largest;
    private final Consumer<Row> out;
    private final int other;
    private long sink;

    /**
     * @param sizes  bytes per transfer
     * @param memory host, device or both
     * @param out    takes the rows, on rank 0
     */
    public RmaStudy(Rank rank, StudyOptions options, long[] sizes, String memory, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.quick = options.quick();
        this.sizes = sizes;
        this.memory = memory;
        this.largest = Arrays.stream(sizes).max().orElseThrow();
        this.out = out;
        this.other = 1 - rank.rank();
    }

    /** Bytes of shared heap of each kind a study of these sizes needs. */
    public static long heapBytes(long[] sizes) {
        return 2 * Arrays.stream(sizes).max().orElseThrow() + (1 << 20) + span(1);
    }

    /** Collective. */
    public void run() {
        if (!memory.equals("device")) {
            try (RawHost raw = new RawHost(rank, span(largest) + SLOTS * 64 + 4 * LINE)) {
                for (long size : sizes) {
                    hostPut(raw.memory(), size);
                }
                for (long size : sizes) {
                    hostGet(raw.memory(), size);
                }
                barriers(raw);
            }
        }
        if (!memory.equals("host")) {
            devices();
        }
    }

    private void devices() {
        RawCuda raw = rank.device().backend() == Backend.CUDA ? new RawCuda(rank, largest) : null;
        for (long size : sizes) {
            device(raw, true, size);
        }
        for (long size : sizes) {
            device(raw, false, size);
        }
        implicitPuts(raw);
        rank.barrier();
        if (raw != null) {
            raw.close();
        }
        rank.barrier();
    }

    private SharedPointer allocate(MemoryKind kind, long bytes) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    // ---- data

    /** Collective, after rank 0 has measured: wrong bytes of a put, counted where they arrived. */
    private long wrongAtTarget(Buffer target) {
        rank.barrier();
        return rank.collectives().broadcast(rank.rank() == 1 ? PatternBytes.wrong(rank, target, PUT_SEED) : 0, 1);
    }

    // ---- host memory

    private void hostPut(MemorySegment raw, long size) {
        SharedPointer shared = allocate(MemoryKind.HOST, span(size));
        SharedPointer there = shared.onRank(other);
        SharedPointer[] places = slots(there, size);
        Buffer here = rank.memory().local(shared.onRank(rank.rank()), ElementType.BYTE, size);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment local = arena.allocate(size, LINE);
            rank.barrier();
            Sampler sampler = new Sampler(options);
            if (rank.rank() == 0) {
                sampler.measure(count -> puts(places, local, size, count), count -> rawPuts(local, raw, size, count));
                PatternBytes.fill(local, size, PUT_SEED);
                rank.memput(there, local, size);
                MemorySegment.copy(local, 0, raw, 0, size);
            }
            long wrong = wrongAtTarget(here) + (rank.rank() == 0 ? PatternBytes.wrong(raw, size, PUT_SEED) : 0);
            emit("put", MemoryKind.HOST, there, size, sampler, wrong);
        }
        rank.allFree(shared);
    }

    private void hostGet(MemorySegment raw, long size) {
        SharedPointer shared = allocate(MemoryKind.HOST, span(size));
        SharedPointer there = shared.onRank(other);
        SharedPointer[] places = slots(there, size);
        PatternBytes.write(rank, rank.memory().local(shared.onRank(rank.rank()), ElementType.BYTE, size), GET_SEED);
        PatternBytes.fill(raw, size, GET_SEED);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment local = arena.allocate(size, LINE);
            rank.barrier();
            Sampler sampler = new Sampler(options);
            long wrong = 0;
            if (rank.rank() == 0) {
                sampler.measure(count -> gets(local, places, size, count), count -> rawGets(raw, local, size, count));
                local.fill((byte) 0);
                rank.memget(local, there, size);
                wrong = PatternBytes.wrong(local, size, GET_SEED);
            }
            emit("get", MemoryKind.HOST, there, size, sampler, wrong);
        }
        rank.barrier();
        rank.allFree(shared);
    }

    // Small transfers go round SLOTS places and carry a value that changes, on both sides alike: a compiler may make one
    // store of many equal ones, and did.

    private static SharedPointer[] slots(SharedPointer first, long size) {
        SharedPointer[] all = new SharedPointer[SLOTS];
        for (int i = 0; i < SLOTS; i++) {
            all[i] = first.cast(0, 1).plus(stride(size) * i);
        }
        return all;
    }

    /** Bytes between two places: 0 where a transfer is too large to be merged with the next. */
    private static long stride(long size) {
        return size <= 64 ? 64 : 0;
    }

    private static long span(long size) {
        return size + stride(size) * (SLOTS - 1);
    }

    private static void change(MemorySegment local, long size, int value) {
        if (size >= Long.BYTES && size <= 64) {
            local.set(ValueLayout.JAVA_LONG, 0, value);
        }
    }

    private void puts(SharedPointer[] there, MemorySegment local, long size, int count) {
        for (int i = 0; i < count; i++) {
            change(local, size, i);
            rank.memput(there[i & SLOTS - 1], local, size);
        }
    }

    private static void rawPuts(MemorySegment local, MemorySegment raw, long size, int count) {
        long stride = stride(size);
        for (int i = 0; i < count; i++) {
            change(local, size, i);
            MemorySegment.copy(local, 0, raw, stride * (i & SLOTS - 1), size);
        }
    }

    private void gets(MemorySegment local, SharedPointer[] there, long size, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            rank.memget(local, there[i & SLOTS - 1], size);
            sum += local.get(ValueLayout.JAVA_BYTE, 0);
        }
        sink = sum;
    }

    private void rawGets(MemorySegment raw, MemorySegment local, long size, int count) {
        long stride = stride(size);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(raw, stride * (i & SLOTS - 1), local, 0, size);
            sum += local.get(ValueLayout.JAVA_BYTE, 0);
        }
        sink = sum;
    }

    private void barriers(RawHost raw) {
        long offset = LINE * Math.ceilDiv(span(largest) + SLOTS * 64, LINE);
        long[] epoch = {0};
        Sampler sampler = new Sampler(options);
        rank.barrier();
        // Both ranks must make the same number of barriers: rank 0 decides how many.
        sampler.measureFixed(quick ? 20 : 100, barriersOf(quick ? 10_000_000L : 40_000_000L), this::barriers,
                raw.isShared() ? n -> flags(raw.memory(), offset, epoch, n) : null);
        if (rank.rank() == 0) {
            out.accept(new Row("rma", "barrier", "host", "host", "direct-host", rank.processes(), 0, sampler.times(), sampler.baseline(), 0));
        }
        rank.barrier();
    }

    /** Collective: how many barriers take about so long; the slower the fewer. */
    private int barriersOf(long ns) {
        int tried = 100;
        barriers(tried);
        long start = System.nanoTime();
        barriers(tried);
        long each = Math.max(1, (System.nanoTime() - start) / tried);
        return (int) rank.collectives().broadcast(Math.clamp(ns / each, 10, 20_000), 0);
    }

    private void barriers(int count) {
        for (int i = 0; i < count; i++) {
            rank.barrier();
        }
    }

    /** The least a barrier of two can be: each writes a flag and waits for the other's. */
    private void flags(MemorySegment raw, long offset, long[] epoch, int count) {
        long theirs = offset + other * LINE;
        long mine = offset + rank.rank() * LINE;
        long current = epoch[0];
        for (int i = 0; i < count; i++) {
            current++;
            WORD.setRelease(raw, theirs, current);
            while ((long) WORD.getAcquire(raw, mine) < current) {
                // the other rank runs on a core of its own, and may be one barrier ahead
            }
        }
        epoch[0] = current;
    }

    // ---- device memory

    private void device(RawCuda raw, boolean put, long size) {
        SharedPointer shared = allocate(MemoryKind.DEVICE, size);
        SharedPointer there = shared.onRank(other);
        Buffer here = rank.memory().local(shared.onRank(rank.rank()), ElementType.BYTE, size);
        Buffer local = rank.device().alloc(ElementType.BYTE, size);
        PatternBytes.write(rank, put ? local : here, put ? PUT_SEED : GET_SEED);
        rank.barrier();
        Sampler sampler = new Sampler(options);
        long wrong = 0;
        if (rank.rank() == 0) {
            // Loops of their own, each of which calls one method.
            sampler.measure(put ? count -> {
                for (int i = 0; i < count; i++) {
                    rank.memput(there, local);
                }
            } : count -> {
                for (int i = 0; i < count; i++) {
                    rank.memget(local, there);
                }
            }, raw == null ? null : put ? count -> {
                for (int i = 0; i < count; i++) {
                    raw.put(size);
                }
            } : count -> {
                for (int i = 0; i < count; i++) {
                    raw.get(size);
                }
            });
            wrong = put ? 0 : PatternBytes.wrong(rank, local, GET_SEED);
        }
        emit(put ? "put" : "get", MemoryKind.DEVICE, there, size, sampler, put ? wrongAtTarget(here) : wrong);
        rank.barrier();
        local.close();
        rank.allFree(shared);
    }

    /**
     * Puts of 8 bytes: how fast they can be started (put_issue), and started and completed together (put_nbi). In batches
     * that a driver's queue holds: beyond that, starting waits for completing.
     */
    private void implicitPuts(RawCuda raw) {
        long size = 8;
        SharedPointer shared = allocate(MemoryKind.DEVICE, size);
        SharedPointer there = shared.onRank(other);
        Buffer here = rank.memory().local(shared.onRank(rank.rank()), ElementType.BYTE, size);
        Buffer local = rank.device().alloc(ElementType.BYTE, size);
        PatternBytes.write(rank, local, PUT_SEED);
        rank.barrier();
        Sampler issue = new Sampler(options);
        Sampler whole = new Sampler(options);
        if (rank.rank() == 0) {
            int rounds = quick ? 500 : 5000;
            whole.warmUp(count -> implicitPuts(there, local, count, null));
            long end = System.nanoTime() + (quick ? QUICK_NS : MAX_NS);
            for (int round = 0; round < rounds && (round == 0 || System.nanoTime() - end < 0); round++) {
                long begin = System.nanoTime();
                implicitPuts(there, local, BATCH, issue);
                long complete = System.nanoTime();
                whole.recordOwn(complete - begin, BATCH);
                if (raw != null) {
                    raw.putMany(size, BATCH);
                    whole.recordBaseline(System.nanoTime() - complete, BATCH);
                }
            }
        }
        long wrong = wrongAtTarget(here);
        emit("put_issue", MemoryKind.DEVICE, there, size, issue, wrong);
        emit("put_nbi", MemoryKind.DEVICE, there, size, whole, wrong);
        local.close();
        rank.allFree(shared);
    }

    /** @param issue records what it takes to start them; null for nothing */
    private void implicitPuts(SharedPointer there, Buffer local, int count, Sampler issue) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            rank.rma().put(there, local, Completion.IMPLICIT);
        }
        if (issue != null) {
            issue.recordOwn(System.nanoTime() - begin, count);
        }
        rank.rma().syncAll();
    }

    private void emit(String op, MemoryKind kind, SharedPointer there, long size, Sampler sampler, long wrong) {
        if (rank.rank() == 0) {
            String memory = kind == MemoryKind.HOST ? "host" : "device";
            out.accept(new Row("rma", op, memory, memory, rank.diagnostics().route(kind, there, size), rank.processes(), size,
                    sampler.times(), sampler.baseline(), wrong));
        }
    }
}
