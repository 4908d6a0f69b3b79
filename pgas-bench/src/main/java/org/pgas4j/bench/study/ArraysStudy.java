package org.pgas4j.bench.study;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.LocalPart;
import org.pgas4j.bench.result.Row;

/**
 * Strided puts against contiguous puts of the same bytes, and copies of matrices between distributions against an exchange of
 * contiguous parts of the same size, in host and in device memory. Bytes are those that are put, or a rank's part of the matrix.
 */
public final class ArraysStudy extends Study {

    /** Bytes that lie together in a strided put. */
    public static final String RUN = "run";

    private static final List<Long> QUICK = List.of(1L << 16, 1L << 22);
    private static final List<Long> FULL = List.of(1L << 12, 1L << 16, 1L << 20, 1L << 24, 1L << 26);
    private static final long[] RUNS = {8, 64, 1024};

    private final List<MemoryKind> kinds;

    /** @param kinds of memory to measure */
    public ArraysStudy(Rank rank, StudyOptions options, List<MemoryKind> kinds, Consumer<Row> out) {
        super(rank, options, out);
        this.kinds = kinds;
    }

    private static List<Long> sizes(StudyOptions options) {
        return options.sizes() != null ? options.sizes() : options.quick() ? QUICK : FULL;
    }

    /** Bytes of each rank's heaps: two matrices and as much for the exchange, or a sparse and a dense buffer. */
    public static long heapBytes(StudyOptions options) {
        return 5 * sizes(options).stream().mapToLong(Long::longValue).max().orElseThrow() + (16 << 20);
    }

    /** Collective. */
    public void run() {
        Turns turns = turns();
        for (MemoryKind kind : kinds) {
            for (long bytes : sizes(options)) {
                for (long run : RUNS) {
                    if (run <= bytes) {
                        stridedPut(turns, kind, bytes, run);
                    }
                }
                copies(turns, kind, bytes);
            }
        }
    }

    private SharedPointer allocate(MemoryKind kind, long bytes) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    private String route(MemoryKind kind, SharedPointer there, long bytes) {
        return rank.diagnostics().route(kind, there, bytes);
    }

    // ---- strided puts

    private void stridedPut(Turns turns, MemoryKind kind, long bytes, long run) {
        SharedPointer target = allocate(kind, 2 * bytes);
        SharedPointer source = allocate(kind, bytes);
        Buffer mine = rank.memory().local(source.onRank(rank.rank()), ElementType.BYTE, bytes);
        PatternBytes.write(rank, mine, rank.rank() + 1);
        SharedPointer there = target.onRank(other);
        Strided shape = Strided.rows(run, bytes / run, 2 * run, run);
        Histogram[] times = turns.measure(
                () -> timedThenBarrier(() -> rank.rma().put(there, mine, shape, Completion.LOCAL)),
                () -> timedThenBarrier(() -> rank.memput(there, mine)));
        rank.rma().put(there, mine, shape, Completion.REMOTE);
        rank.barrier();
        Buffer seen = Buffer.ofHost(MemorySegment.ofArray(new byte[Math.toIntExact(shape.bytes())]), ElementType.BYTE);
        rank.rma().get(seen, target.onRank(rank.rank()), shape.reversed(), Completion.LOCAL);
        long wrong = PatternBytes.wrong(seen.segment(), shape.bytes(), other + 1);
        add(new Row("arrays", "strided_put", name(kind), name(kind), route(kind, there, bytes), rank.processes(), shape.bytes(),
                times[0], 1, times[1], rank.allReduce(wrong, ReduceOp.SUM)).with(RUN, run).with(Row.SETTING,
                options.setting()));
        rank.allFree(source);
        rank.allFree(target);
    }

    private static String name(MemoryKind kind) {
        return kind == MemoryKind.HOST ? "host" : "device";
    }

    // ---- copies between distributions

    private void copies(Turns turns, MemoryKind kind, long bytes) {
        int ranks = rank.ranks();
        long n = (long) Math.sqrt((double) ranks * bytes / Double.BYTES) / ranks * ranks;
        int down = Integer.highestOneBit((int) Math.sqrt(ranks)); // rows of a grid as square as powers of two allow
        while (ranks % down != 0) {
            down /= 2;
        }
        Distribution rows = Distribution.of(Axis.block(n, ranks), Axis.whole(n));
        Distribution cyclic = Distribution.of(Axis.cyclic(n, ranks), Axis.whole(n));
        copy(turns, kind, "rows_to_columns", rows, Distribution.of(Axis.whole(n), Axis.block(n, ranks)));
        copy(turns, kind, "rows_to_cyclic_rows", rows, cyclic);
        copy(turns, kind, "rows_to_cyclic_columns", rows, Distribution.of(Axis.whole(n), Axis.cyclic(n, ranks)));
        copy(turns, kind, "rows_to_blocks_of_8", rows, Distribution.of(Axis.blockCyclic(n, ranks, 8), Axis.whole(n)));
        copy(turns, kind, "cyclic_rows_to_grid_of_64", cyclic,
                Distribution.of(Axis.blockCyclic(n, down, 64), Axis.blockCyclic(n, ranks / down, 64)));
    }

    private void copy(Turns turns, MemoryKind kind, String operation, Distribution from, Distribution to) {
        int ranks = rank.ranks();
        long piece = from.length(0) * from.length(1) / ranks / ranks * Double.BYTES;
        SharedPointer parts = allocate(kind, ranks * piece);
        try (GlobalArray a = GlobalArray.allocate(rank, ElementType.DOUBLE, kind, from);
                GlobalArray b = GlobalArray.allocate(rank, ElementType.DOUBLE, kind, to)) {
            write(a);
            b.fill(-1);
            Buffer mine = rank.memory().local(pointer(a), ElementType.BYTE, ranks * piece);
            Histogram[] times = turns.measure(() -> timed(a, b), () -> exchange(parts, mine, piece));
            long wrong = rank.allReduce(wrong(b), ReduceOp.SUM);
            add(new Row("arrays", operation, name(kind), name(kind), route(kind, parts.onRank(other), piece), rank.processes(),
                    ranks * piece, times[0], 1, times[1], wrong).with(Row.SETTING, options.setting()));
        }
        rank.allFree(parts);
    }

    private SharedPointer pointer(GlobalArray array) {
        return array.locate(array.distribution().axis(0).index(array.distribution().coordinates(rank.rank())[0], 0), 0);
    }

    private long timed(GlobalArray a, GlobalArray b) {
        long begin = System.nanoTime();
        a.copyTo(b);
        return System.nanoTime() - begin;
    }

    /** Each rank puts an equal piece of its part to every rank, between barriers as a copy has them. */
    private long exchange(SharedPointer parts, Buffer mine, long piece) {
        long begin = System.nanoTime();
        rank.barrier();
        SharedPointer place = parts.cast(0, 1).plus(rank.rank() * piece);
        for (int step = 0; step < rank.ranks(); step++) {
            int to = (rank.rank() + step) % rank.ranks();
            rank.rma().put(place.onRank(to), mine.slice(to * piece, piece), Completion.IMPLICIT);
        }
        rank.rma().syncAll();
        rank.barrier();
        return System.nanoTime() - begin;
    }

    /** Sets every element of an array whose ranks own whole rows to its number. */
    private void write(GlobalArray array) {
        LocalPart local = array.local();
        double[] row = new double[Math.toIntExact(local.length(1))];
        long columns = array.length(1);
        Axis rows = array.distribution().axis(0);
        int coordinate = array.distribution().coordinates(rank.rank())[0];
        for (long i = 0; i < local.length(0); i++) {
            long number = rows.index(coordinate, i);
            for (int j = 0; j < row.length; j++) {
                row[j] = number * columns + j;
            }
            rank.memput(array.locate(number, 0), MemorySegment.ofArray(row), (long) row.length * Double.BYTES);
        }
        rank.barrier();
    }

    /** Elements of this rank that are not their number. */
    private long wrong(GlobalArray array) {
        LocalPart local = array.local();
        double[] all = new double[Math.toIntExact(local.buffer().length())];
        int[] coordinates = array.distribution().coordinates(rank.rank());
        Axis rows = array.distribution().axis(0);
        Axis columns = array.distribution().axis(1);
        rank.memget(MemorySegment.ofArray(all), array.locate(rows.index(coordinates[0], 0), columns.index(coordinates[1], 0)),
                local.buffer().bytes());
        long wrong = 0;
        for (long i = 0; i < local.length(0); i++) {
            for (long j = 0; j < local.length(1); j++) {
                long number = rows.index(coordinates[0], i) * array.length(1) + columns.index(coordinates[1], j);
                wrong += all[(int) local.at(i, j)] == number ? 0 : 1;
            }
        }
        return wrong;
    }
}
