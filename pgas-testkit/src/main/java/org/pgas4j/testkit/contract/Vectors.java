package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Tally;

/** Fills vectors with values of a seed and checks them, and what reductions make of those of several members, bit for bit. */
final class Vectors {

    private static final int CHECKED = 64; // elements of a long vector, beside its ends
    private static final Map<ElementType, Values> VALUES = new EnumMap<>(ElementType.class);

    static {
        for (ElementType type : ElementType.values()) {
            VALUES.put(type, new Values(type));
        }
    }

    private final Rank rank;
    private final Tally check;

    Vectors(Rank rank, Tally check) {
        this.rank = rank;
        this.check = check;
    }

    /** Operations that a type has; of integers of 16 bits those that differ from the others' in how they are done. */
    static List<Reduction> operations(ElementType type) {
        if (type == ElementType.SHORT || type == ElementType.CHAR) {
            return List.of(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.XOR, ReduceOp.UNSIGNED_MAX);
        }
        List<Reduction> all = new ArrayList<>();
        for (ReduceOp op : ReduceOp.values()) {
            if (op.isDefinedFor(type)) {
                all.add(op);
            }
        }
        all.add(type.isFloatingPoint() ? Reduction.ofDoubles((_, b) -> b) : Reduction.ofLongs((_, b) -> b));
        return all;
    }

    /** Values of a type, as numbers and as the bits of an element; a hash of seed and index chooses one. */
    private static final class Values {
        private static final int BITS = 11;

        private final double[] numbers = new double[1 << BITS];
        private final long[] elements = new long[1 << BITS];

        Values(ElementType type) {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = number(type, i);
                elements[i] = element(type, numbers[i]);
            }
        }

        /** An integer as it is, a number with a fraction that sums round. */
        private static double number(ElementType type, int i) {
            return switch (type) {
                case BYTE, SHORT, INT, LONG -> i % 7 - 3; // products of 16 are exact in a double
                case CHAR -> i % 7;
                case FLOAT -> (float) ((i % 2001 - 1000) / 7.0);
                case DOUBLE -> (i % 2001 - 1000) / 7.0;
                case HALF, BFLOAT16 -> type.toFloat(type.toBits((i % 201 - 100) / 7f));
            };
        }

        private static long element(ElementType type, double number) {
            return switch (type) {
                case BYTE, SHORT, CHAR, INT, LONG -> (long) number;
                case FLOAT -> Float.floatToRawIntBits((float) number);
                case DOUBLE -> Double.doubleToRawLongBits(number);
                case HALF, BFLOAT16 -> type.toBits((float) number);
            };
        }

        static int at(long seed, long index) {
            long mixed = index * 0x9E3779B97F4A7C15L + seed * 0xC2B2AE3D27D4EB4FL;
            mixed = (mixed ^ mixed >>> 32) * 0x9E3779B97F4A7C15L;
            return (int) (mixed >>> Long.SIZE - BITS);
        }
    }

    private static double value(ElementType type, long seed, long index) {
        return VALUES.get(type).numbers[Values.at(seed, index)];
    }

    private static double read(ElementType type, MemorySegment memory, long i) {
        return switch (type) {
            case BYTE -> memory.get(ValueLayout.JAVA_BYTE, i);
            case SHORT -> memory.get(ElementType.LAYOUT_SHORT, i * 2);
            case CHAR -> (char) memory.get(ElementType.LAYOUT_SHORT, i * 2);
            case INT -> memory.get(ElementType.LAYOUT_INT, i * 4);
            case LONG -> memory.get(ElementType.LAYOUT_LONG, i * 8);
            case FLOAT -> memory.get(ElementType.LAYOUT_FLOAT, i * 4);
            case DOUBLE -> memory.get(ElementType.LAYOUT_DOUBLE, i * 8);
            case HALF, BFLOAT16 -> type.toFloat(memory.get(ElementType.LAYOUT_SHORT, i * 2));
        };
    }

    /** Writes values {@code from} on of a seed. */
    void fill(Buffer buffer, long seed, long from) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, buffer.bytes()), 8).asSlice(0, buffer.bytes());
            write(memory, buffer.type(), (int) buffer.length(), seed, from);
            copy(buffer, memory, true);
        }
    }

    /** By way of an array: an element of a segment costs many times as much until the second compiler has seen it. */
    private static void write(MemorySegment memory, ElementType type, int count, long seed, long from) {
        long[] elements = VALUES.get(type).elements;
        switch (type.bytes()) {
            case Byte.BYTES -> {
                byte[] values = new byte[count];
                for (int i = 0; i < count; i++) {
                    values[i] = (byte) elements[Values.at(seed, from + i)];
                }
                MemorySegment.copy(values, 0, memory, ValueLayout.JAVA_BYTE, 0, count);
            }
            case Short.BYTES -> {
                short[] values = new short[count];
                for (int i = 0; i < count; i++) {
                    values[i] = (short) elements[Values.at(seed, from + i)];
                }
                MemorySegment.copy(values, 0, memory, ElementType.LAYOUT_SHORT, 0, count);
            }
            case Integer.BYTES -> {
                int[] values = new int[count];
                for (int i = 0; i < count; i++) {
                    values[i] = (int) elements[Values.at(seed, from + i)];
                }
                MemorySegment.copy(values, 0, memory, ElementType.LAYOUT_INT, 0, count);
            }
            default -> {
                long[] values = new long[count];
                for (int i = 0; i < count; i++) {
                    values[i] = elements[Values.at(seed, from + i)];
                }
                MemorySegment.copy(values, 0, memory, ElementType.LAYOUT_LONG, 0, count);
            }
        }
    }

    private void copy(Buffer buffer, MemorySegment memory, boolean write) {
        if (buffer.bytes() == 0) {
            return;
        }
        if (buffer.kind() == MemoryKind.HOST) {
            MemorySegment.copy(write ? memory : buffer.segment(), 0, write ? buffer.segment() : memory, 0, buffer.bytes());
        } else {
            Buffer host = Buffer.ofHost(memory, buffer.type());
            PatternMemory.copyBlocks(rank, write ? buffer : host, write ? host : buffer);
        }
    }

    private interface Expected {
        double at(long index);
    }

    private void check(Buffer buffer, long begin, long count, Expected expected, String what) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, buffer.bytes()), 8).asSlice(0, buffer.bytes());
            copy(buffer, memory, false);
            long step = Math.max(1, count / CHECKED);
            String wrong = null;
            for (long i = 0; i < count && wrong == null; i = i + 1 < count ? Math.min(count - 1, i + step) : count) {
                double is = read(buffer.type(), memory, begin + i);
                double should = expected.at(i);
                if (Double.doubleToRawLongBits(is) != Double.doubleToRawLongBits(should)) {
                    wrong = "element " + i + " is " + is + ", not " + should;
                }
            }
            check.same(null, wrong, what);
        }
    }

    /** Elements {@code begin} on are values {@code from} on of a seed. */
    void check(Buffer buffer, long begin, long count, long seed, long from, String what) {
        check(buffer, begin, count, i -> value(buffer.type(), seed, from + i), what);
    }

    /** All elements are those at {@code from} on of members' seeds combined. */
    void checkCombined(Buffer buffer, long from, long count, long seed, int members, Reduction op, String what) {
        check(buffer, 0, count, i -> tree(buffer.type(), op, seed, 0, members, from + i), what);
    }

    void checkScan(Buffer buffer, long count, long seed, int last, Reduction op, String what) {
        check(buffer, 0, count, i -> {
            double sum = value(buffer.type(), seed, i);
            for (int member = 1; member <= last; member++) {
                sum = apply(buffer.type(), op, sum, value(buffer.type(), seed + member, i));
            }
            return sum;
        }, what);
    }

    /** A run of members is split at the largest power of two below its length. */
    private static double tree(ElementType type, Reduction op, long seed, int first, int members, long i) {
        if (members == 1) {
            return value(type, seed + first, i);
        }
        int half = 1;
        while (2 * half < members) {
            half *= 2;
        }
        return apply(type, op, tree(type, op, seed, first, half, i), tree(type, op, seed, first + half, members - half, i));
    }

    private static double apply(ElementType type, Reduction op, double a, double b) {
        return switch (type) {
            case BYTE -> (byte) op.apply((long) a, (long) b);
            case SHORT -> (short) op.apply((long) a, (long) b);
            case CHAR -> (char) op.apply((long) a, (long) b);
            case INT -> (int) op.apply((long) a, (long) b);
            case LONG -> op.apply((long) a, (long) b);
            case FLOAT -> (float) op.apply(a, b);
            case DOUBLE -> op.apply(a, b);
            case HALF, BFLOAT16 -> type.toFloat(type.toBits((float) op.apply(a, b)));
        };
    }
}
