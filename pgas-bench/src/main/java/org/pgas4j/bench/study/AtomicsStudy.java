package org.pgas4j.bench.study;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.AtomicOp;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Row;

/**
 * Atomic operations on a word of the other rank against the processor's on memory that both map, and by kernels against those of
 * CUDA. Rank 0 measures.
 */
public final class AtomicsStudy extends Study {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final GridProgram KERNELS = new GridProgram("atomics_pair", BlockKernels.read("atomics.cu"), AtomicsStudy::kernel);
    private static final GridProgram ACCESS = new GridProgram("random_access", BlockKernels.read("atomics.cu"), AtomicsStudy::access);
    private static final int SAMPLES = 400;
    private static final int THREADS = 512;
    private static final int BATCH = 16;

    private long sink;

    public AtomicsStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    /** Collective: all of it. */
    public void run() {
        try (RawHost raw = new RawHost(rank, 4096)) {
            fetches(raw);
            swaps(raw);
        }
        deviceWord();
        kernels();
        randomAccess();
    }

    private SharedPointer words(MemoryKind kind) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            SharedPointer words = rank.allAlloc(rank.ranks(), 256);
            rank.memset(words.onRank(rank.rank()), 0, 256);
            rank.barrier();
            return words;
        }
    }

    private void add(String op, String memory, SharedPointer there, Sampler sampler, long wrong) {
        if (first) {
            add(new Row("atomics", op, memory, memory, rank.diagnostics().route(there.kind(), there, 8), rank.processes(), 8,
                    sampler.times(), sampler.baseline(), wrong).with(Row.SETTING, options.setting()));
        }
    }

    // ---- host memory

    private void fetches(RawHost raw) {
        SharedPointer words = words(MemoryKind.HOST);
        SharedPointer there = words.onRank(other);
        Sampler sampler = new Sampler(options);
        long wrong = 0;
        if (first) {
            MemorySegment memory = raw.memory();
            long[] done = new long[1];
            sampler.measure(count -> {
                for (int i = 0; i < count; i++) {
                    sink += rank.atomics().fetchAdd(there, 1);
                }
                done[0] += count;
            }, count -> {
                for (int i = 0; i < count; i++) {
                    sink += (long) WORD.getAndAdd(memory, 128L, 1L);
                }
            });
            wrong = rank.atomics().get(there) == done[0] ? 0 : 8;
        }
        add("fetch_add", "host", there, sampler, wrong);
        rank.barrier();
        rank.allFree(words);
    }

    private void swaps(RawHost raw) {
        SharedPointer words = words(MemoryKind.HOST);
        SharedPointer there = words.onRank(other);
        Sampler sampler = new Sampler(options);
        long wrong = 0;
        if (first) {
            MemorySegment memory = raw.memory();
            long[] value = new long[2];
            sampler.measure(count -> {
                long now = value[0];
                for (int i = 0; i < count; i++) {
                    now = rank.atomics().compareSwap(there, now, now + 1) + 1;
                }
                value[0] = now;
            }, count -> {
                long now = value[1];
                for (int i = 0; i < count; i++) {
                    now = (long) WORD.compareAndExchange(memory, 256L, now, now + 1) + 1;
                }
                value[1] = now;
            });
            wrong = rank.atomics().get(there) == value[0] ? 0 : 8;
        }
        add("compare_swap", "host", there, sampler, wrong);
        rank.barrier();
        rank.allFree(words);
    }

    // ---- device memory

    private void deviceWord() {
        SharedPointer words = words(MemoryKind.DEVICE);
        SharedPointer there = words.onRank(other);
        long[] done = new long[1];
        Histogram[] times = turns().measure(() -> timedThenBarrier(() -> {
            rank.atomics().fetchAdd(there, 1);
            done[0]++;
        }));
        long wrong = first && rank.atomics().get(there) != done[0] ? 8 : 0;
        add(new Row("atomics", "fetch_add", "device", "device", rank.diagnostics().route(MemoryKind.DEVICE, there, 8),
                rank.processes(), 8, times[0], 1, null, wrong).with(Row.SETTING, options.setting()));
        rank.barrier();
        rank.allFree(words);
    }

    /** One thread of rank 0 adds to a word of the other rank's device, by the library and by CUDA's own function. */
    private void kernels() {
        SharedBytes base = device(256);
        SharedBytes results = device(2L * SAMPLES * Double.BYTES);
        rank.stream().fill(base.local(), 0);
        rank.stream().sync();
        rank.barrier();
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
            grid.launch(KERNELS, base.local(), results.local(), SAMPLES, BATCH);
            grid.sync();
        }
        rank.barrier();
        Histogram own = samples(results.local().slice(0, 8L * SAMPLES), SAMPLES);
        Histogram raw = samples(results.local().slice(8L * SAMPLES, 8L * SAMPLES), SAMPLES);
        SharedPointer there = base.pointer().onRank(other);
        long expected = 2L * (SAMPLES + SAMPLES / 4) * BATCH;
        long wrong = first && rank.atomics().get(there) != expected ? 8 : 0;
        add(new Row("atomics", "kernel_fetch_add", "device", "device", rank.diagnostics().route(MemoryKind.DEVICE, there, 8),
                rank.processes(), 8, own, BATCH, raw, wrong).with(Row.SETTING, options.setting()));
        rank.barrier();
        rank.allFree(results);
        rank.allFree(base);
    }

    /**
     * HPCC's RandomAccess by all threads of both devices, against as many updates of the ranks' own parts alone. Each is done an
     * even number of times, so that the table is at the end as it was; bytes are those of a rank's part, a sample is a launch.
     */
    private void randomAccess() {
        long words = gpu ? 1L << 26 : 1L << 14;
        int updates = gpu ? 1024 : 2000;
        SharedBytes table = device(words * Long.BYTES);
        SharedBytes wrong = device(Long.BYTES);
        rank.stream().fill(wrong.local(), 0);
        rank.stream().sync();
        rank.barrier();
        Histogram[] times;
        long threads;
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(gpu ? 0 : 2, gpu ? THREADS : 32))) {
            threads = grid.perRank() * (gpu ? THREADS : 1L);
            access(grid, table, words, updates, 0, wrong, 0);
            times = turns().measureFixed(20, 2, () -> access(grid, table, words, updates, 0, wrong, 1),
                    () -> access(grid, table, words, updates, 1, wrong, 1));
            access(grid, table, words, updates, 0, wrong, 2);
        }
        long errors = rank.allReduce(rank.atomics().get(wrong.pointer().onRank(rank.rank())), ReduceOp.SUM);
        SharedPointer there = table.pointer().onRank(other);
        add(new Row("atomics", "random_access", "device", "device", rank.diagnostics().route(MemoryKind.DEVICE, there, 8),
                rank.processes(), words * Long.BYTES, times[0], 1, times[1], errors).with("updates", 2 * threads * updates)
                .with(Row.SETTING, options.setting()));
        rank.barrier();
        rank.allFree(wrong);
        rank.allFree(table);
    }

    private long access(DeviceGrid grid, SharedBytes table, long words, int updates, int own, SharedBytes wrong, int phase) {
        rank.barrier();
        long begin = System.nanoTime();
        grid.launch(ACCESS, table.local(), words, updates, own, wrong.local(), phase);
        grid.sync();
        return System.nanoTime() - begin;
    }

    private static void access(GridRank self, Kernel.Args args) {
        MemorySegment table = args.segment(0);
        long words = args.longAt(1);
        boolean own = args.intAt(3) != 0;
        int w = self.createWindow(GridRank.Comm.WORLD, table);
        int blocks = self.ranks(GridRank.Comm.DEVICE);
        long first = self.hostRank() * words;
        int local = self.rank(GridRank.Comm.DEVICE);
        if (args.intAt(5) == 1) {
            long x = (self.rank(GridRank.Comm.WORLD) + 1) * 0x9E3779B97F4A7C15L;
            for (int i = 0; i < args.intAt(2); i++) {
                x = x << 1 ^ (x < 0 ? 7 : 0);
                long at = x & words * (own ? 1 : self.hostRanks()) - 1;
                self.atomic(w, (own ? self.hostRank() : (int) (at / words)) * blocks, at % words * Long.BYTES, AtomicOp.XOR, x);
            }
        }
        for (long i = local; args.intAt(5) != 1 && i < words; i += blocks) {
            if (args.intAt(5) == 0) {
                table.setAtIndex(ValueLayout.JAVA_LONG, i, first + i);
            } else if (table.getAtIndex(ValueLayout.JAVA_LONG, i) != first + i) {
                long _ = (long) WORD.getAndAdd(args.segment(4), 0L, 1L);
            }
        }
        self.freeWindow(w);
    }

    private static void kernel(GridRank self, Kernel.Args args) {
        int w = self.createWindow(GridRank.Comm.WORLD, args.segment(0));
        if (self.rank(GridRank.Comm.WORLD) == 0) {
            int samples = args.intAt(2);
            int batch = args.intAt(3);
            MemorySegment there = self.ptr(w, 1);
            long sum = 0;
            for (int s = -samples / 4; s < samples; s++) {
                long begin = System.nanoTime();
                for (int i = 0; i < batch; i++) {
                    sum += self.atomic(w, 1, 0, AtomicOp.ADD, 1);
                }
                long middle = System.nanoTime();
                for (int i = 0; i < batch; i++) {
                    sum += (long) WORD.getAndAdd(there, 0L, 1L);
                }
                long end = System.nanoTime();
                if (s >= 0) {
                    args.segment(1).setAtIndex(ValueLayout.JAVA_DOUBLE, s, (double) (middle - begin) / batch);
                    args.segment(1).setAtIndex(ValueLayout.JAVA_DOUBLE, samples + s, (double) (end - middle) / batch);
                }
            }
            if (sum < 0) {
                self.log("sum", sum);
            }
        }
        self.freeWindow(w);
    }
}
