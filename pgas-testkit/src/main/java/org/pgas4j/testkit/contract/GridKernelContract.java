package org.pgas4j.testkit.contract;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalDoubles;
import org.pgas4j.GlobalLongs;
import org.pgas4j.GlobalPlace;
import org.pgas4j.GlobalPlace.GridAxis;
import org.pgas4j.KernelException;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Kernels over index spaces of one to three dimensions, and elements of arrays over grids of ranks in them. */
final class GridKernelContract extends Contract {

    private static final int ROWS = 45;
    private static final int COLUMNS = 38;
    private static final int LAYERS = 5;

    private final Stream stream;

    GridKernelContract(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    /** An array of 8-byte elements, spread over a grid of the job's ranks. */
    private record Grid(SharedPointer memory, GlobalPlace place) {

        /** Indices that the calling rank owns. */
        IndexSpace space() {
            return IndexSpace.of(place.axes().stream().map(axis -> axis.coordinate() < 0 ? new IndexSpace.Dimension(0, 0, 1, 1, 1, 0)
                    : new IndexSpace.Dimension(0, axis.length(), 1, axis.block(), axis.ranks(), axis.coordinate()))
                    .toArray(IndexSpace.Dimension[]::new));
        }
    }

    /**
     * Collective.
     *
     * @param ranks  coordinates of each dimension
     * @param blocks of each dimension; 0 for one block for each coordinate
     */
    private Grid allocate(long[] lengths, int[] ranks, long... blocks) {
        List<GridAxis> axes = new ArrayList<>();
        long stride = 1;
        int rest = rank.rank();
        int all = 1;
        for (int d = lengths.length - 1; d >= 0; d--) {
            long block = blocks[d] == 0 ? Math.ceilDiv(lengths[d], (long) ranks[d]) : blocks[d];
            axes.addFirst(new GridAxis(lengths[d], ranks[d], block, stride, rest % ranks[d]));
            rest /= ranks[d];
            all *= ranks[d];
            stride *= Math.ceilDiv(Math.ceilDiv(lengths[d], block), (long) ranks[d]) * block;
        }
        if (rank.rank() >= all) {
            axes.replaceAll(axis -> new GridAxis(axis.length(), axis.ranks(), axis.block(), axis.stride(), -1));
        }
        SharedPointer memory = rank.allAlloc(rank.ranks(), stride * Long.BYTES);
        return new Grid(memory, new GlobalPlace(memory.cast(0, Long.BYTES), 0, stride, 0, 1, axes));
    }

    @Override
    void run() {
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            int n = rank.ranks();
            int half = n % 2 == 0 ? n / 2 : n;
            matrices(new int[] {n, 1}, 0, 0);
            matrices(new int[] {n / half, half}, 0, 0);
            matrices(new int[] {half, n / half}, 1, 3);
            matrices(new int[] {1, Math.max(1, n - 1)}, 0, 1);
            cubes(new int[] {1, half, n / half}, 0, 2, 0);
            cubes(new int[] {n, 1, 1}, 0, 0, 0);
            vector();
            atomics();
            order();
            faults();
        }
    }

    private void matrices(int[] ranks, long... blocks) {
        Grid first = allocate(new long[] {ROWS, COLUMNS}, ranks, blocks);
        Grid second = allocate(new long[] {COLUMNS, ROWS}, new int[] {1, rank.ranks()}, 0, 4);
        GlobalDoubles a = new GlobalDoubles(rank, first.place());
        GlobalLongs b = new GlobalLongs(rank, second.place());
        stream.forAll(first.space(), (i, j) -> a.put(i, j, i * 1000 + j));
        stream.forAll(second.space(), (i, j) -> b.put(i, j, 0));
        meet();
        stream.forAll(second.space(), (i, j) -> b.put(i, j, (long) a.get(j, i) + a.rankOf(j, i)));
        meet();
        long wrong = 0;
        for (long at = rank.rank(); at < ROWS * COLUMNS; at += rank.ranks()) {
            long i = at / ROWS;
            long j = at % ROWS;
            wrong += b.get(i, j) == j * 1000 + i + a.rankOf(j, i) && a.get(j, i) == j * 1000 + i ? 0 : 1;
        }
        check.same(0L, wrong, "wrong elements of a transposed matrix, first over " + first.place().axes());
        double sum = rank.collectives().allReduce(stream.reduce(first.space(), ReduceOp.SUM, (i, j) -> a.get(i, j)), ReduceOp.SUM);
        check.same(ROWS * COLUMNS * ((ROWS - 1) * 500 + (COLUMNS - 1) * 0.5), sum, "sum of a matrix over " + first.place().axes());
        long most = rank.collectives().allReduce(
                stream.reduceLongs(second.space(), ReduceOp.MAX, (i, j) -> j * 1000 + i), ReduceOp.MAX);
        check.same((ROWS - 1) * 1000L + COLUMNS - 1, most, "largest index");
        ranges(first.space(), b);
        ranges(IndexSpace.of(ROWS, COLUMNS).byInteger(rank.ranks(), rank.rank()), b);
        ranges(IndexSpace.of(ROWS, COLUMNS).dealt(1, 3, rank.ranks(), rank.rank()), b);
        rank.allFree(second.memory());
        rank.allFree(first.memory());
    }

    /** All ranks' parts of a space, of which every third row and every second column is visited once. */
    private void ranges(IndexSpace all, GlobalLongs visits) {
        IndexSpace.Dimension rows = all.dimensions().get(0);
        IndexSpace.Dimension columns = all.dimensions().get(1);
        IndexSpace part = all.range(0, Math.min(2, rows.to()), rows.to() == 0 ? 0 : ROWS - 1, 3)
                .range(1, Math.min(1, columns.to()), columns.to(), 2);
        rank.barrier();
        stream.forAll(IndexSpace.of(COLUMNS, ROWS).byInteger(rank.ranks(), rank.rank()), (i, j) -> visits.put(i, j, 0));
        meet();
        stream.forAll(part, (i, j) -> visits.addTo(j, i, 1 + i));
        meet();
        long wrong = stream.reduceLongs(IndexSpace.of(ROWS, COLUMNS), ReduceOp.SUM,
                (i, j) -> visits.get(j, i) == (i >= 2 && i < ROWS - 1 && (i - 2) % 3 == 0 && j % 2 == 1 ? 1 + i : 0) ? 0 : 1);
        check.same(0L, wrong, "indices of " + part + " that were not visited once, or others that were");
        rank.barrier();
    }

    private void cubes(int[] ranks, long... blocks) {
        Grid first = allocate(new long[] {LAYERS, ROWS, COLUMNS}, ranks, blocks);
        Grid second = allocate(new long[] {LAYERS, ROWS, COLUMNS}, new int[] {1, rank.ranks(), 1}, 0, 0, 0);
        GlobalLongs a = new GlobalLongs(rank, first.place());
        GlobalLongs b = new GlobalLongs(rank, second.place());
        stream.forAll(first.space(), (i, j, k) -> a.put(i, j, k, (i * 100 + j) * 100 + k));
        meet();
        long last = ROWS - 1;
        stream.forAll(second.space(), (i, j, k) ->
                b.put(i, j, k, a.get(i, Math.min(last, j + 1), k) - a.get(i, Math.max(0, j - 1), k)));
        meet();
        long sum = rank.collectives().allReduce(
                stream.reduceLongs(second.space(), ReduceOp.SUM, (i, j, k) -> b.get(i, j, k)), ReduceOp.SUM);
        check.same(2L * LAYERS * COLUMNS * 100 * last, sum, "sum of differences over " + first.place().axes());
        double least = rank.collectives().allReduce(
                stream.reduce(first.space(), ReduceOp.MIN, (i, j, k) -> a.get(i, j, k) + 0.5 * i), ReduceOp.MIN);
        check.same(0.0, least, "minimum over " + first.place().axes());
        rank.allFree(second.memory());
        rank.allFree(first.memory());
    }

    private void vector() {
        Grid grid = allocate(new long[] {1000}, new int[] {rank.ranks()}, 7);
        GlobalDoubles a = new GlobalDoubles(rank, grid.place());
        stream.forAll(grid.space().range(0, 0, 1000, 1), i -> a.put(i, i));
        meet();
        double sum = stream.reduce(IndexSpace.of(1000), ReduceOp.SUM, i -> a.get(i));
        check.same(999 * 500.0, sum, "sum of all elements by each rank");
        IndexSpace part = IndexSpace.of(1000).range(0, 10, 500, 3);
        check.same(499L, stream.reduceLongs(part, ReduceOp.MAX, i -> (long) a.get(i)), "largest of a range");
        rank.barrier();
        rank.allFree(grid.memory());
    }

    /** Operations of all ranks' threads on the same elements, on all ranks. */
    private void atomics() {
        int rounds = Long.SIZE;
        long all = (long) rounds * rank.ranks();
        long before = (long) rounds * rank.rank();
        Grid first = allocate(new long[] {64}, new int[] {rank.ranks()}, 1);
        Grid second = allocate(new long[] {64}, new int[] {rank.ranks()}, 1);
        GlobalLongs a = new GlobalLongs(rank, first.place());
        GlobalDoubles d = new GlobalDoubles(rank, second.place());
        stream.forAll(first.space(), i -> a.put(i, i == 3 ? -1 : 0));
        stream.forAll(second.space(), i -> d.put(i, 0));
        meet();
        stream.forAll(IndexSpace.of(rounds), i -> {
            a.atomic(0, AtomicOp.MAX, before + i);
            a.atomic(1, AtomicOp.MIN, -before - i);
            a.atomic(2, AtomicOp.OR, 1L << i);
            a.atomic(3, AtomicOp.AND, ~(1L << i));
            a.atomic(4, AtomicOp.XOR, 1L << i);
            long seen = a.atomic(5, AtomicOp.GET, 0);
            for (long old = seen - 1; old != seen;) {
                old = seen;
                seen = a.compareAndExchange(5, old, old + 1);
            }
            a.atomic(7, AtomicOp.ADD, a.atomic(6, AtomicOp.SWAP, before + i + 1));
            a.atomic(8 + i % 8, AtomicOp.SET, i % 8);
            d.atomic(0, AtomicOp.MAX, before + i + 0.5);
            d.atomic(1, AtomicOp.MIN, -0.5 - before - i);
            d.atomic(2, AtomicOp.ADD, 0.5);
            d.atomic(4, AtomicOp.ADD, d.atomic(3, AtomicOp.SWAP, before + i + 1));
        });
        meet();
        check.same(all - 1, a.get(0), "largest of longs");
        check.same(1 - all, a.get(1), "smallest of longs");
        check.same(-1L, a.get(2), "bits of all threads");
        check.same(0L, a.get(3), "bits that all threads cleared");
        check.same(rank.ranks() % 2 == 0 ? 0L : -1L, a.get(4), "bits that each rank turned");
        check.same(all, a.get(5), "additions by comparisons");
        check.same(all * (all + 1) / 2, a.get(6) + a.get(7), "sum of longs that were swapped");
        for (int i = 0; i < 8; i++) {
            check.same((long) i, a.get(8 + i), "a long that was set");
        }
        check.same(all - 0.5, d.get(0), "largest of doubles");
        check.same(0.5 - all, d.get(1), "smallest of doubles");
        check.same(0.5 * all, d.get(2), "sum of doubles");
        check.same(0.5 * all * (all + 1), d.get(3) + d.get(4), "sum of doubles that were swapped");
        rank.barrier();
        rank.allFree(second.memory());
        rank.allFree(first.memory());
    }

    /** A thread that sees the flag of an element sees the element; nobody waits for it. */
    private void order() {
        long elements = 512;
        Grid grid = allocate(new long[] {2 * elements + 1}, new int[] {rank.ranks()}, 3);
        GlobalLongs a = new GlobalLongs(rank, grid.place());
        stream.forAll(grid.space(), i -> a.put(i, 0));
        meet();
        if (rank.rank() == 0) {
            stream.forAll(IndexSpace.of(elements), i -> {
                a.put(i, i + 1);
                VarHandle.releaseFence();
                a.atomic(elements + i, AtomicOp.SET, 1);
            });
        } else {
            stream.forAll(IndexSpace.of(elements), i -> {
                long flag = a.atomic(elements + i, AtomicOp.GET, 0);
                VarHandle.acquireFence();
                if (flag == 1 && a.get(i) != i + 1) {
                    a.addTo(2 * elements, 1);
                }
            });
        }
        meet();
        check.same(0L, a.get(2 * elements), "elements that came after their flags");
        check.same(elements, stream.reduceLongs(IndexSpace.of(elements), ReduceOp.SUM, i -> a.get(elements + i)), "flags");
        rank.barrier();
        rank.allFree(grid.memory());
    }

    private void fails(String what, Runnable launch) {
        check.refuses(KernelException.class, what, () -> {
            launch.run();
            stream.sync();
        }, "a kernel with a wrong index: " + what);
    }

    private void faults() {
        Grid grid = allocate(new long[] {ROWS, COLUMNS}, new int[] {rank.ranks(), 1}, 1, 0);
        GlobalDoubles a = new GlobalDoubles(rank, grid.place());
        IndexSpace one = IndexSpace.of(1, 1);
        fails("GridKernelContract", () -> stream.forAll(one, (i, j) -> a.put(i, j + COLUMNS, 1)));
        fails("GridKernelContract", () -> stream.forAll(one, (i, j) -> a.put(i - 1, j, 1)));
        fails("GridKernelContract", () -> stream.forAll(one, (i, j) -> a.put(i, 1)));
        check.refuses(IllegalArgumentException.class, "expected: 2 dimensions",
                () -> stream.forAll(IndexSpace.of(5), (i, j) -> a.put(i, j, 1)), "a space of another number of dimensions");
        stream.forAll(one, (i, j) -> a.put(i, j, 7));
        meet();
        check.same(7.0, a.get(0, 0), "an element after faults");
        rank.barrier();
        rank.allFree(grid.memory());
    }

    private void meet() {
        stream.sync();
        rank.barrier();
    }
}
