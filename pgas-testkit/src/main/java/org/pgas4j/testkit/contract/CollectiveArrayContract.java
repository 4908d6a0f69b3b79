package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.NonBlockingCollectives;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.Scope;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;
import org.pgas4j.SharedShorts;
import org.pgas4j.Sync;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Reductions, prefix reductions and sorts of whole shared arrays and of slices, in every layout and kind of memory. */
final class CollectiveArrayContract extends Contract {

    private static final int SEED = 4;
    private static final long OFFSET = 100_000;
    private static final int SHORTS = 100;

    private final Random same = new Random(SEED); // gives all ranks the same

    CollectiveArrayContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                for (Layout layout : new Layout[] {Layout.even(), Layout.blocked(7), Layout.cyclic(),
                    Layout.onRank(rank.ranks() - 1)}) {
                    for (int length : new int[] {1, 5, 1000}) {
                        integers(layout, length);
                        numbers(layout, length);
                        small(layout, length);
                    }
                    shorts(layout, SHORTS);
                    modes(layout, 5);
                    modes(layout, 1000);
                    started(layout, 1);
                    started(layout, 30_000);
                }
                longSort();
            }
        }
        new ArrayOrders(rank, check, same).run();
        misuse();
    }

    private void integers(Layout layout, int length) {
        long[] values = same.longs(length, -50, 50).toArray();
        SharedLongs array = rank.allAllocLongs(layout, length);
        SharedLongs sums = rank.allAllocLongs(layout, length);
        SharedLongs one = rank.allAllocLongs(Layout.onRank(length % rank.ranks()), 1);
        SharedPointer cell = one.pointer();
        set(array, values);
        String what = layout + " " + length + " " + array.kind();
        for (ReduceOp op : ReduceOp.values()) {
            rank.collectives().reduce(cell, array, op);
            check.same(Arrays.stream(values).reduce(op::apply).orElseThrow(), read(cell), "reduce " + op + " of " + what);
        }
        // Affine maps a x + b, composed in order: associative and not commutative.
        Reduction compose = Reduction.ofLongs(CollectiveArrayContract::compose);
        rank.collectives().reduce(cell, array, compose);
        check.same(Arrays.stream(values).reduce(CollectiveArrayContract::compose).orElseThrow(), read(cell),
                "reduce in order of " + what);
        rank.collectives().prefixReduce(sums, array, compose);
        long[] expected = values.clone();
        Arrays.parallelPrefix(expected, CollectiveArrayContract::compose);
        same(expected, sums, "prefixReduce of " + what);

        int from = length / 3;
        long[] part = Arrays.copyOfRange(values, from, length);
        rank.collectives().reduce(cell, array.slice(from, length - from), ReduceOp.SUM);
        check.same(Arrays.stream(part).sum(), read(cell), "reduce of a slice of " + what);
        rank.collectives().sort(array.slice(from, length - from));
        Arrays.sort(part);
        System.arraycopy(part, 0, values, from, part.length);
        same(values, array, "sort of a slice of " + what);
        rank.collectives().sort(array);
        Arrays.sort(values);
        same(values, array, "sort of " + what);
        rank.collectives().prefixReduce(array, array, ReduceOp.SUM);
        Arrays.parallelPrefix(values, Long::sum);
        same(values, array, "prefixReduce in place of " + what);
        rank.allFree(one);
        rank.allFree(sums);
        rank.allFree(array);
    }

    /** With every mode; where the end does not wait for the others, a barrier does. */
    private void modes(Layout layout, int length) {
        SharedLongs array = rank.allAllocLongs(layout, length);
        SharedLongs vectors = rank.allAllocLongs(Layout.even(), (long) length * rank.ranks());
        SharedLongs result = rank.allAllocLongs(Layout.onRank(rank.ranks() - 1), length + 1);
        for (Sync.Mode in : Sync.Mode.values()) {
            for (Sync.Mode out : Sync.Mode.values()) {
                modes(array, vectors, result, new Sync(in, out));
            }
        }
        rank.allFree(result);
        rank.allFree(vectors);
        rank.allFree(array);
    }

    private void modes(SharedLongs array, SharedLongs vectors, SharedLongs result, Sync sync) {
        int length = Math.toIntExact(array.length());
        String what = " of " + array + " with " + sync;
        long[] values = same.longs(length, -50, 50).toArray();
        long[] vector = Arrays.stream(values).map(value -> value + rank.rank()).toArray();
        vectors.put((long) rank.rank() * length, vector);
        set(array, values);

        rank.collectives().reduce(result.pointer(), vectors.pointer(), ElementType.LONG, length, ReduceOp.SUM, sync);
        rank.collectives().reduce(result.pointer(length), array, ReduceOp.SUM, sync);
        boolean isOwner = result.rankOf(0) == rank.rank();
        if (isOwner && sync.out() == Sync.Mode.MY || sync.out() == Sync.Mode.ALL) {
            check.same(Arrays.stream(values).sum(), result.get(length), "reduce" + what);
        }
        rank.barrier();
        int ranks = rank.ranks();
        long[] sums = Arrays.stream(values).map(value -> value * ranks + ranks * (ranks - 1) / 2).toArray();
        long[] are = new long[length];
        result.get(0, are);
        check.same(-1, Arrays.mismatch(sums, are), "reduce of vectors" + what);
        check.same(Arrays.stream(values).sum(), result.get(length), "reduce" + what);

        rank.collectives().prefixReduce(array, array, ReduceOp.SUM, sync);
        Arrays.parallelPrefix(values, Long::sum);
        sameAfter(sync, values, array, "prefixReduce" + what);
        rank.collectives().sort(array, sync);
        Arrays.sort(values);
        sameAfter(sync, values, array, "sort" + what);
    }

    /** All elements, or this rank's own if others may not be there yet. */
    private void sameAfter(Sync sync, long[] expected, SharedLongs array, String what) {
        if (sync.out() == Sync.Mode.MY) {
            array.forAllLocal(i -> check.same(expected[(int) i], array.get(i), "own element " + i + " after " + what));
        }
        if (sync.out() != Sync.Mode.ALL) {
            rank.barrier();
        }
        same(expected, array, what);
    }

    /** Reductions of arrays and of vectors in flight at once, synchronised in another order on each rank. */
    private void started(Layout layout, int length) {
        SharedLongs array = rank.allAllocLongs(layout, length);
        SharedLongs sums = rank.allAllocLongs(layout, length);
        SharedLongs vectors = rank.allAllocLongs(Layout.even(), (long) length * rank.ranks());
        SharedLongs cells = rank.allAllocLongs(Layout.onRank(rank.ranks() - 1), length + 3);
        long[] values = same.longs(length, -50, 50).toArray();
        long[] vector = Arrays.stream(values).map(value -> value ^ rank.rank()).toArray();
        vectors.put((long) rank.rank() * length, vector);
        set(array, values);
        String what = " of " + array + ", started";
        NonBlockingCollectives starts = rank.collectives().nonBlocking();
        Reduction compose = Reduction.ofLongs(CollectiveArrayContract::compose);
        List<Handle> handles = new ArrayList<>(List.of(
                starts.reduce(cells.pointer(length), array, ReduceOp.SUM),
                starts.prefixReduce(sums, array, compose),
                starts.reduce(cells.pointer(), vectors.pointer(), ElementType.LONG, length, ReduceOp.XOR),
                starts.prefixReduce(array, array, ReduceOp.SUM), // after the two before, which read it
                starts.reduce(cells.pointer(length + 1), array, ReduceOp.MAX),
                starts.reduce(cells.pointer(length + 2), sums, compose)));
        if (rank.rank() % 2 == 1) {
            handles = handles.reversed();
        }
        for (Handle handle : handles) {
            if (rank.rank() % 3 == 0) {
                askFor(handle);
            }
            handle.sync();
        }
        long[] composed = values.clone();
        Arrays.parallelPrefix(composed, CollectiveArrayContract::compose);
        long[] prefixes = values.clone();
        Arrays.parallelPrefix(prefixes, Long::sum);
        check.same(prefixes[length - 1], cells.get(length), "reduce" + what);
        check.same(Arrays.stream(prefixes).max().orElseThrow(), cells.get(length + 1), "reduce of what was written" + what);
        check.same(Arrays.stream(composed).reduce(CollectiveArrayContract::compose).orElseThrow(), cells.get(length + 2),
                "reduce in order" + what);
        same(composed, sums, "prefixReduce" + what);
        same(prefixes, array, "prefixReduce in place" + what);
        long[] all = new long[length];
        for (int member = 0; member < rank.ranks(); member++) {
            for (int i = 0; i < length; i++) {
                all[i] ^= values[i] ^ member;
            }
        }
        long[] are = new long[length];
        cells.get(0, are);
        check.same(-1, Arrays.mismatch(all, are), "reduce of vectors" + what);
        rank.barrier();
        rank.allFree(cells);
        rank.allFree(vectors);
        rank.allFree(sums);
        rank.allFree(array);
    }

    /** {@code a} and {@code b} hold two numbers modulo 2^16 each. */
    private static long compose(long a, long b) {
        long factor = (a >> 16) * (b >> 16) & 0xffff;
        long add = (a & 0xffff) * (b >> 16) + (b & 0xffff) & 0xffff;
        return factor << 16 | add;
    }

    private void set(SharedLongs array, long[] values) {
        if (rank.rank() == 0) {
            array.put(0, values);
        }
        rank.barrier();
    }

    private long read(SharedPointer cell) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(8, 8);
            rank.memget(memory, cell, 8);
            return memory.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private void same(long[] expected, SharedLongs array, String what) {
        long[] is = new long[expected.length];
        array.get(0, is);
        check.same(-1, Arrays.mismatch(expected, is), what);
        rank.barrier(); // all have looked
    }

    private void numbers(Layout layout, int length) {
        double[] values = same.doubles(length, -1e6, 1e6).toArray();
        for (int i = 0; i < length; i += 11) {
            values[i] = new double[] {Double.NaN, -0.0, 0.0, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY}[i % 5];
        }
        SharedDoubles array = rank.allAllocDoubles(layout, length);
        if (rank.rank() == 0) {
            array.put(0, values);
        }
        rank.barrier();
        rank.collectives().sort(array);
        Arrays.sort(values);
        double[] is = new double[length];
        array.get(0, is);
        check.same(-1, Arrays.mismatch(values, is), "sort of doubles " + layout + " " + length);
        rank.barrier();
        rank.allFree(array);
    }

    private void small(Layout layout, int length) {
        SharedInts ints = rank.allAllocInts(layout, length);
        SharedFloats floats = rank.allAllocFloats(layout, length);
        int[] whole = same.ints(length).toArray();
        float[] fractions = new float[length];
        for (int i = 0; i < length; i++) {
            fractions[i] = whole[i] / 3f;
        }
        if (rank.rank() == 0) {
            ints.put(0, whole);
            floats.put(0, fractions);
        }
        rank.barrier();
        rank.collectives().sort(ints);
        rank.collectives().sort(floats);
        Arrays.sort(whole);
        Arrays.sort(fractions);
        int[] is = new int[length];
        float[] are = new float[length];
        ints.get(0, is);
        floats.get(0, are);
        check.same(-1, Arrays.mismatch(whole, is), "sort of ints " + layout + " " + length);
        check.same(-1, Arrays.mismatch(fractions, are), "sort of floats " + layout + " " + length);
        rank.barrier();
        rank.allFree(floats);
        rank.allFree(ints);
    }

    /** Integers of 16 bits, whose sums wrap, with a sign and without. */
    private void shorts(Layout layout, int length) {
        SharedShorts shorts = rank.allAllocShorts(layout, length);
        SharedChars chars = rank.allAllocChars(layout, length);
        short[] signed = new short[length];
        char[] unsigned = new char[length];
        for (int i = 0; i < length; i++) {
            signed[i] = (short) same.nextInt();
            unsigned[i] = (char) signed[i];
        }
        if (rank.rank() == 0) {
            shorts.put(0, signed);
            chars.put(0, unsigned);
        }
        rank.barrier();
        SharedLongs cells = rank.allAllocLongs(Layout.onRank(0), 4);
        rank.collectives().reduce(cells.pointer(0), shorts, ReduceOp.MIN);
        rank.collectives().reduce(cells.pointer(1), chars, ReduceOp.MAX);
        rank.collectives().reduce(cells.pointer(2), shorts, ReduceOp.UNSIGNED_MIN);
        rank.collectives().reduce(cells.pointer(3), shorts, ReduceOp.UNSIGNED_MAX);
        short[] sorted = signed.clone();
        Arrays.sort(sorted);
        char[] ascending = unsigned.clone();
        Arrays.sort(ascending);
        String what = " of 16 bits " + layout + " " + length;
        check.same(sorted[0], (short) read(cells.pointer(0)), "least" + what);
        check.same(ascending[length - 1], (char) read(cells.pointer(1)), "greatest" + what);
        check.same(ascending[0], (char) read(cells.pointer(2)), "least without a sign" + what);
        check.same(ascending[length - 1], (char) read(cells.pointer(3)), "greatest without a sign" + what);
        rank.barrier();
        rank.collectives().prefixReduce(shorts, shorts, ReduceOp.SUM);
        rank.collectives().sort(chars);
        for (int i = 1; i < length; i++) {
            signed[i] += signed[i - 1];
        }
        short[] sums = new short[length];
        char[] order = new char[length];
        shorts.get(0, sums);
        chars.get(0, order);
        check.same(-1, Arrays.mismatch(signed, sums), "prefixReduce" + what);
        check.same(-1, Arrays.mismatch(ascending, order), "sort" + what);
        rank.barrier();
        rank.allFree(cells);
        rank.allFree(chars);
        rank.allFree(shorts);
    }

    /** Many equal elements, and many elements. */
    private void longSort() {
        int length = 30_000;
        SharedLongs array = rank.allAllocLongs(Layout.even(), length);
        for (long bound : new long[] {2, OFFSET}) {
            long[] values = same.longs(length, 0, bound).toArray();
            set(array, values);
            rank.collectives().sort(array);
            Arrays.sort(values);
            same(values, array, "sort of " + length + " values below " + bound);
        }
        rank.allFree(array);
    }

    private void misuse() {
        SharedLongs copies = rank.allAllocLongs(Layout.replicated(), 4);
        SharedDoubles numbers = rank.allAllocDoubles(Layout.even(), 4);
        check.refuses(IllegalArgumentException.class, "copy on every rank", () -> rank.collectives().sort(copies),
                "a replicated array");
        check.refuses(IllegalArgumentException.class, "is not defined for DOUBLE",
                () -> rank.collectives().reduce(numbers.pointer(), numbers, ReduceOp.XOR), "XOR of doubles");
        SharedLongs others = rank.allAllocLongs(Layout.even(), 4);
        check.refuses(IllegalArgumentException.class, "differ in type", () -> rank.collectives().prefixReduce(numbers, others,
                ReduceOp.SUM), "two types");
        rank.allFree(others);
        if (rank.ranks() > 1) {
            check.refuses(UnsupportedOperationException.class, "use rank.collectives()",
                    () -> rank.collectives().split(rank.rank()).collectives().sort(numbers), "an array in a part of the ranks");
            check.refuses(UnsupportedOperationException.class, "use rank.collectives()", () -> rank.collectives()
                    .split(rank.rank()).collectives().nonBlocking().prefixReduce(numbers, numbers, ReduceOp.SUM),
                    "an array in a part of the ranks, started");
        }
        if (rank.ranks() > 1) {
            Sync mine = rank.rank() == 0 ? Sync.MY : Sync.NO;
            check.refuses(CollectiveMismatchException.class, "Sync[in=NO, out=NO]", () -> rank.collectives().sort(numbers, mine),
                    "two modes of a sort");
            check.refuses(CollectiveMismatchException.class, "Sync[in=NO, out=NO]",
                    () -> rank.collectives().prefixReduce(numbers, numbers, ReduceOp.SUM, mine), "two modes of a prefixReduce");
            check.refuses(CollectiveMismatchException.class, "Sync[in=NO, out=NO]",
                    () -> rank.collectives().reduce(numbers.pointer(), numbers, ReduceOp.SUM, mine), "two modes of a reduce");
            check.refuses(CollectiveMismatchException.class, "Sync[in=NO, out=NO]", () -> rank.collectives()
                    .reduce(numbers.pointer(), numbers.pointer(), ElementType.DOUBLE, 1, ReduceOp.SUM, mine),
                    "two modes of a reduce of vectors");
            check.refuses(CollectiveMismatchException.class, "prefixReduce", () -> (rank.rank() == 0
                    ? rank.collectives().nonBlocking().prefixReduce(numbers, numbers, ReduceOp.SUM)
                    : rank.collectives().nonBlocking().reduce(numbers.pointer(), numbers, ReduceOp.SUM)).sync(),
                    "two operations that were started");
        }
        SharedRecords records = rank.allAllocRecords(MemoryLayout.sequenceLayout(3, ValueLayout.JAVA_BYTE), Layout.even(), 4);
        check.refuses(IllegalArgumentException.class, "elements of 3 bytes",
                () -> rank.collectives().reduce(numbers.pointer(), records, ReduceOp.SUM), "records");
        rank.allFree(records);
        rank.allFree(numbers);
        rank.allFree(copies);
    }
}
