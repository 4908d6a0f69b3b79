package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedShorts;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/**
 * Reductions and prefixes of arrays by operations whose results show the order in which elements were combined: arrays of the same
 * layout in host and in device memory give the same bits. Used by {@link CollectiveArrayContract}.
 */
final class ArrayOrders {

    private static final int TILE = 4096; // elements that a block of threads combines
    private static final int LONG = 300_017;

    private final Rank rank;
    private final Tally check;
    private final Random same;

    ArrayOrders(Rank rank, Tally check, Random same) {
        this.rank = rank;
        this.check = check;
        this.same = same;
    }

    void run() {
        for (ElementType type : ElementType.values()) {
            if (!type.is16BitFloat()) { // shared arrays have none of these
                check(type, Layout.even(), 3 * TILE + 50, 0, operations(type));
            }
        }
        for (ElementType type : new ElementType[] {ElementType.INT, ElementType.DOUBLE}) {
            List<Reduction> some = new ArrayList<>(functions(type));
            some.add(ReduceOp.SUM);
            for (Layout layout : new Layout[] {Layout.even(), Layout.blocked(7), Layout.blocked(TILE + 1), Layout.cyclic(),
                Layout.onRank(rank.ranks() - 1)}) {
                // Elements that ranks have one by one may travel one by one: fewer of these, and one array of more than a tile.
                boolean apart = layout.equals(Layout.cyclic()) || layout.equals(Layout.blocked(7));
                for (int length : new int[] {1, 17, apart ? 300 : 3 * TILE + 50}) {
                    check(type, layout, length, 0, some);
                }
                check(type, layout, apart ? 310 : 2 * TILE + 9, 5, some);
                if (apart && type == ElementType.INT) {
                    check(type, layout, TILE + 50, 0, some.subList(0, 1));
                }
            }
        }
        check(ElementType.FLOAT, Layout.even(), LONG, 0, functions(ElementType.FLOAT));
        check(ElementType.DOUBLE, Layout.blocked(1000), LONG, 0, List.of(ReduceOp.SUM));
        check(ElementType.BYTE, Layout.onRank(0), LONG, 0, functions(ElementType.BYTE));
    }

    private SharedArray array(ElementType type, Layout layout, long length) {
        return switch (type) {
            case BYTE -> rank.allAllocBytes(layout, length);
            case SHORT -> rank.allAllocShorts(layout, length);
            case CHAR -> rank.allAllocChars(layout, length);
            case INT -> rank.allAllocInts(layout, length);
            case LONG -> rank.allAllocLongs(layout, length);
            case FLOAT -> rank.allAllocFloats(layout, length);
            default -> rank.allAllocDoubles(layout, length);
        };
    }

    private static List<Reduction> operations(ElementType type) {
        List<Reduction> all = new ArrayList<>(functions(type));
        for (ReduceOp op : ReduceOp.values()) {
            if (op.isDefinedFor(type)) {
                all.add(op);
            }
        }
        return all;
    }

    /** Operations that need not be associative: a function that devices run, one that they cannot, and one that commutes. */
    private static List<Reduction> functions(ElementType type) {
        Map<Long, Long> table = Map.of(0L, 3L);
        double share = 0.625;
        int factor = 3;
        return type.isFloatingPoint() ? List.of(Reduction.ofDoubles((a, b) -> share * a - b),
                Reduction.ofDoubles((a, b) -> a / table.get(0L) - b), Reduction.ofDoubles((a, b) -> share * (a + b)).commutative())
                : List.of(Reduction.ofLongs((a, b) -> factor * a - b), Reduction.ofLongs((a, b) -> table.get(0L) * a ^ b),
                        Reduction.ofLongs((a, b) -> factor * (a ^ b)).commutative());
    }

    private void check(ElementType type, Layout layout, int length, int from, List<Reduction> operations) {
        SharedArray[] arrays = new SharedArray[2];
        SharedArray[] results = new SharedArray[2];
        SharedArray[] cells = new SharedArray[2];
        byte[] values = values(type, length);
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                arrays[kind.ordinal()] = array(type, layout, length);
                results[kind.ordinal()] = array(type, layout, length);
                cells[kind.ordinal()] = array(type, Layout.onRank(length % rank.ranks()), 1);
            }
            if (rank.rank() == 0) {
                arrays[kind.ordinal()].put(0, length, MemorySegment.ofArray(values));
            }
        }
        rank.barrier();
        for (int i = 0; i < operations.size(); i++) {
            String what = " by " + operations.get(i) + " (" + i + ") of " + arrays[1] + " of " + type + " from " + from;
            byte[][] one = new byte[2][];
            byte[][] all = new byte[2][];
            for (int kind = 0; kind < 2; kind++) {
                SharedArray source = slice(arrays[kind], from);
                rank.collectives().reduce(cells[kind].pointer(), source, operations.get(i));
                rank.collectives().prefixReduce(slice(results[kind], from), source, operations.get(i));
                one[kind] = read(cells[kind]);
                all[kind] = read(slice(results[kind], from));
            }
            check.that(Arrays.equals(one[0], one[1]), "reduce" + what + " gives the bits of the host");
            check.same(-1, Arrays.mismatch(all[0], all[1]), "prefixReduce" + what + " gives the bits of the host");
            rank.barrier(); // all have looked
        }
        mixed(arrays, results, from);
        for (SharedArray[] each : new SharedArray[][] {arrays, results, cells}) {
            rank.allFree(each[0]);
            rank.allFree(each[1]);
        }
    }

    /** From an array of one kind of memory into one of the other. */
    private void mixed(SharedArray[] arrays, SharedArray[] results, int from) {
        rank.collectives().prefixReduce(slice(results[0], from), slice(arrays[1], from), ReduceOp.SUM);
        rank.collectives().prefixReduce(slice(results[1], from), slice(arrays[0], from), ReduceOp.SUM);
        byte[] sums = read(slice(results[0], from));
        check.same(-1, Arrays.mismatch(sums, read(slice(results[1], from))),
                "prefixReduce between host and device of " + arrays[1]);
        rank.barrier();
        rank.collectives().prefixReduce(slice(arrays[1], from), slice(arrays[1], from), ReduceOp.SUM);
        check.same(-1, Arrays.mismatch(sums, read(slice(arrays[1], from))), "prefixReduce in place of " + arrays[1]);
        rank.barrier();
    }

    private static SharedArray slice(SharedArray array, int from) {
        return switch (array) {
            case SharedBytes of -> of.slice(from, of.length() - from);
            case SharedShorts of -> of.slice(from, of.length() - from);
            case SharedChars of -> of.slice(from, of.length() - from);
            case SharedInts of -> of.slice(from, of.length() - from);
            case SharedLongs of -> of.slice(from, of.length() - from);
            case SharedFloats of -> of.slice(from, of.length() - from);
            case SharedDoubles of -> of.slice(from, of.length() - from);
            default -> throw new AssertionError(array);
        };
    }

    private byte[] values(ElementType type, int length) {
        byte[] bytes = new byte[(int) type.bytes(length)];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        for (int i = 0; i < length; i++) {
            double value = same.nextDouble() * 2 - 1;
            switch (type) {
                case FLOAT -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, (float) value);
                case DOUBLE -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, value);
                default -> {
                    for (int b = 0; b < type.bytes(); b++) {
                        bytes[i * type.bytes() + b] = (byte) same.nextInt();
                    }
                }
            }
        }
        return bytes;
    }

    private static byte[] read(SharedArray array) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(array.length() * array.elementBytes(), 8);
            array.get(0, array.length(), memory);
            return memory.toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
