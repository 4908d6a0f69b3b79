package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.LongStream;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedRecords;
import org.pgas4j.SharedShorts;
import org.pgas4j.SortOrder;
import org.pgas4j.Sync;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Sorts of shared arrays by comparators, against the JDK's stable sort of the same objects. */
final class ComparatorSortContract extends Contract {

    private static final int SEED = 11;
    private static final int MANY = 20_000;

    // 13 bytes: no multiple of anything
    private static final MemoryLayout RECORD = MemoryLayout.structLayout(ValueLayout.JAVA_INT.withName("key"),
            ValueLayout.JAVA_INT.withName("number"), MemoryLayout.sequenceLayout(5, ValueLayout.JAVA_BYTE).withName("rest"));
    private static final SortOrder BY_KEY =
            SortOrder.ofRecords(Comparator.comparingInt(record -> record.get(ValueLayout.JAVA_INT, 0)));
    private static final SortOrder DESCENDING = SortOrder.ofLongs((a, b) -> Long.compare(b, a));

    private final Random same = new Random(SEED); // gives all ranks the same

    ComparatorSortContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                for (Layout layout : new Layout[] {Layout.even(), Layout.blocked(7), Layout.cyclic(),
                    Layout.onRank(rank.ranks() - 1)}) {
                    for (int length : new int[] {1, 5, 1000}) {
                        longs(layout, length);
                        doubles(layout, length);
                        records(layout, length, length / 3 + 1);
                    }
                    smallTypes(layout);
                    failures(layout);
                }
                records(Layout.even(), MANY, MANY);
                records(Layout.even(), MANY, 1);
            }
        }
        misuse();
    }

    private void put(Runnable values) {
        if (rank.rank() == 0) {
            values.run();
        }
        rank.barrier();
    }

    private void longs(Layout layout, int length) {
        long[] values = same.longs(length, -length, length).toArray();
        SharedLongs array = rank.allAllocLongs(layout, length);
        put(() -> array.put(0, values));
        rank.collectives().sort(array.slice(length / 2, 0), DESCENDING);
        same(values, array, "sort of no elements");
        int from = length / 3;
        rank.collectives().sort(array.slice(from, length - from), DESCENDING);
        Long[] part = Arrays.stream(values, from, length).boxed().toArray(Long[]::new);
        Arrays.sort(part, Comparator.reverseOrder());
        System.arraycopy(Arrays.stream(part).mapToLong(Long::longValue).toArray(), 0, values, from, part.length);
        same(values, array, "sort of a slice");
        for (Sync sync : new Sync[] {Sync.ALL, Sync.MY, Sync.NO}) {
            rank.collectives().sort(array, SortOrder.ofLongs((a, b) -> Long.compare(a * a, b * b)), sync);
            rank.barrier();
            long[] expected = stable(values, Comparator.comparingLong(value -> value * value));
            same(expected, array, "stable sort by squares with " + sync);
            put(() -> array.put(0, values));
        }
        rank.allFree(array);
    }

    private static long[] stable(long[] values, Comparator<Long> order) {
        return Arrays.stream(values).boxed().sorted(order).mapToLong(Long::longValue).toArray();
    }

    private void same(long[] expected, SharedLongs array, String what) {
        long[] are = new long[expected.length];
        array.get(0, are);
        check.same(-1, Arrays.mismatch(expected, are), what + " of " + array);
        rank.barrier(); // all have looked
    }

    /** By magnitude: numbers that compare equal have different bits. */
    private void doubles(Layout layout, int length) {
        double[] values = same.ints(length, -20, 20).mapToDouble(i -> i % 7 == 0 ? -0.0 : i / 3.0).toArray();
        values[length / 2] = Double.NaN;
        SharedDoubles array = rank.allAllocDoubles(layout, length);
        SharedFloats floats = rank.allAllocFloats(layout, length);
        put(() -> {
            array.put(0, values);
            for (int i = 0; i < length; i++) {
                floats.put(i, (float) values[i]);
            }
        });
        SortOrder byMagnitude = SortOrder.ofDoubles((a, b) -> Double.compare(Math.abs(a), Math.abs(b)));
        rank.collectives().sort(array, byMagnitude);
        rank.collectives().sort(floats, byMagnitude);
        double[] expected = Arrays.stream(values).boxed().sorted(Comparator.comparingDouble(Math::abs))
                .mapToDouble(Double::doubleValue).toArray();
        double[] are = new double[length];
        array.get(0, are);
        check.same(-1, Arrays.mismatch(expected, are), "sort by magnitude of " + array);
        float[] narrow = new float[length];
        floats.get(0, narrow);
        for (int i = 0; i < length; i++) {
            check.same((float) expected[i], narrow[i], "element " + i + " of a sort by magnitude of " + floats);
        }
        rank.barrier();
        rank.allFree(floats);
        rank.allFree(array);
    }

    private void records(Layout layout, int length, int keys) {
        SharedRecords array = rank.allAllocRecords(RECORD, layout, length);
        long bytes = RECORD.byteSize();
        int[] key = same.ints(length, 0, keys).toArray();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(length * bytes, 8);
            put(() -> {
                for (int i = 0; i < length; i++) {
                    setRecord(all.asSlice(i * bytes, bytes), key[i], i);
                }
                array.put(0, length, all);
            });
            rank.collectives().sort(array, BY_KEY);
            array.get(0, length, all);
            MemorySegment expected = arena.allocate(bytes, 8);
            Integer[] order = new Integer[length];
            Arrays.setAll(order, i -> i);
            Arrays.sort(order, Comparator.comparingInt(i -> key[i])); // stable
            int differ = 0;
            for (int i = 0; i < length; i++) {
                setRecord(expected, key[order[i]], order[i]);
                differ += MemorySegment.mismatch(expected, 0, bytes, all, i * bytes, (i + 1) * bytes) < 0 ? 0 : 1;
            }
            check.same(0, differ, "records out of place after a sort of " + array + " with " + keys + " keys");
        }
        rank.barrier();
        rank.allFree(array);
    }

    private static void setRecord(MemorySegment record, int key, int number) {
        record.set(ValueLayout.JAVA_INT_UNALIGNED, 0, key);
        record.set(ValueLayout.JAVA_INT_UNALIGNED, 4, number);
        for (int i = 0; i < 5; i++) {
            record.set(ValueLayout.JAVA_BYTE, 8 + i, (byte) (number * 31 + i));
        }
    }

    private void smallTypes(Layout layout) {
        int length = 200;
        SharedBytes bytes = rank.allAllocBytes(layout, length);
        SharedShorts shorts = rank.allAllocShorts(layout, length);
        SharedChars chars = rank.allAllocChars(layout, length);
        SharedInts ints = rank.allAllocInts(layout, length);
        int[] values = same.ints(length).toArray();
        put(() -> {
            for (int i = 0; i < length; i++) {
                bytes.put(i, (byte) values[i]);
                shorts.put(i, (short) values[i]);
                chars.put(i, (char) values[i]);
                ints.put(i, values[i]);
            }
        });
        // As unsigned bytes, from the memory of an element.
        rank.collectives().sort(bytes, SortOrder.ofRecords(Comparator.comparingInt(
                element -> Byte.toUnsignedInt(element.get(ValueLayout.JAVA_BYTE, 0)))));
        rank.collectives().sort(shorts, DESCENDING);
        rank.collectives().sort(chars, DESCENDING);
        rank.collectives().sort(ints, DESCENDING);
        long[] unsigned = stable(longs(values, value -> (byte) value), Comparator.comparingLong(value -> value & 0xff));
        long[] signed = stable(longs(values, value -> (short) value), Comparator.reverseOrder());
        long[] letters = stable(longs(values, value -> (char) value), Comparator.reverseOrder());
        long[] whole = stable(longs(values, value -> value), Comparator.reverseOrder());
        for (int i = 0; i < length; i++) {
            String what = "element " + i + " of small elements " + layout;
            check.same((byte) unsigned[i], bytes.get(i), what);
            check.same((short) signed[i], shorts.get(i), what);
            check.same((char) letters[i], chars.get(i), what);
            check.same((int) whole[i], ints.get(i), what);
        }
        rank.barrier();
        for (SharedArray each : new SharedArray[] {ints, chars, shorts, bytes}) {
            rank.allFree(each);
        }
    }

    private static long[] longs(int[] values, IntToLongFunction cut) {
        return Arrays.stream(values).mapToLong(cut).toArray();
    }

    /** Throws on one rank, in comparisons of its own elements, of samples and of its part of the result. */
    private void failures(Layout layout) {
        int length = 64;
        SharedLongs array = rank.allAllocLongs(layout, length);
        long[] values = same.longs(length, 0, 1000).toArray();
        put(() -> array.put(0, values));
        int bad = rank.ranks() - 1;
        long[] calls = new long[1];
        rank.collectives().sort(array, counting(calls, Long.MAX_VALUE));
        long all = rank.collectives().broadcast(calls[0], bad);
        put(() -> array.put(0, values));
        for (long at : LongStream.of(1, all / 4, all / 2, all * 3 / 4, all).filter(at -> at > 0).toArray()) {
            calls[0] = 0;
            boolean isBad = rank.rank() == bad;
            check.refuses(isBad ? ArithmeticException.class : PgasException.class, isBad ? "not today" : "failed on rank " + bad,
                    () -> rank.collectives().sort(array, counting(calls, isBad ? at : Long.MAX_VALUE)),
                    "comparison " + at + " of " + all + " throws");
            same(values, array, "a sort that failed leaves alone what it has");
        }
        check.same((long) rank.ranks(), rank.allReduce(1L, ReduceOp.SUM), "allReduce after a sort that failed");
        rank.allFree(array);
    }

    private static SortOrder counting(long[] calls, long last) {
        return SortOrder.ofLongs((a, b) -> {
            if (++calls[0] == last) {
                throw new ArithmeticException("not today");
            }
            return Long.compare(a, b);
        });
    }

    private void misuse() {
        SharedLongs copies = rank.allAllocLongs(Layout.replicated(), 4);
        SharedLongs numbers = rank.allAllocLongs(Layout.even(), 4);
        SharedRecords records = rank.allAllocRecords(RECORD, Layout.even(), 4);
        check.refuses(IllegalArgumentException.class, "copy on every rank", () -> rank.collectives().sort(copies, DESCENDING),
                "a replicated array");
        check.refuses(IllegalArgumentException.class, "an order of integers is not defined for elements of 13 bytes",
                () -> rank.collectives().sort(records, DESCENDING), "records as integers");
        check.refuses(IllegalArgumentException.class, "an order of floating-point values is not defined",
                () -> rank.collectives().sort(numbers, SortOrder.ofDoubles(Double::compare)), "integers as doubles");
        if (rank.ranks() > 1) {
            SortOrder mine = rank.rank() == 0 ? DESCENDING : SortOrder.ofRecords((a, b) -> 0);
            check.refuses(CollectiveMismatchException.class, "by an order of records",
                    () -> rank.collectives().sort(numbers, mine), "two kinds of order");
            check.refuses(CollectiveMismatchException.class, "by an order of integers", () -> {
                if (rank.rank() == 0) {
                    rank.collectives().sort(numbers, DESCENDING);
                } else {
                    rank.collectives().sort(numbers);
                }
            }, "with a comparator and without");
            check.refuses(UnsupportedOperationException.class, "use rank.collectives()",
                    () -> rank.world().split(rank.rank()).collectives().sort(numbers, DESCENDING), "a part of the ranks");
        }
        rank.allFree(records);
        rank.allFree(numbers);
        rank.allFree(copies);
    }
}
