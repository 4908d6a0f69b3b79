package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;

/** Random operations on global arrays of random shape, beside the same on a plain array that every rank keeps. */
final class RandomArrays {

    private static final List<ElementType> TYPES = List.of(ElementType.INT, ElementType.LONG, ElementType.FLOAT,
            ElementType.DOUBLE, ElementType.BYTE, ElementType.SHORT, ElementType.CHAR);

    private final Rank rank;
    private final Random random; // the same on all ranks

    RandomArrays(Rank rank, long seed) {
        this.rank = rank;
        this.random = new Random(seed);
    }

    /** A global array and its plain twin. */
    private record Twin(GlobalArray array, long[] lengths, double[] values) {

        int at(long... index) {
            int at = 0;
            for (int dimension = 0; dimension < lengths.length; dimension++) {
                at = at * (int) lengths[dimension] + (int) index[dimension];
            }
            return at;
        }
    }

    void run(MemoryKind kind, int rounds) {
        for (int round = 0; round < rounds; round++) {
            int dimensions = 1 + random.nextInt(4);
            long[] lengths = new long[dimensions];
            for (int dimension = 0; dimension < dimensions; dimension++) {
                lengths[dimension] = 1 + random.nextInt(dimensions > 2 ? 6 : 17);
            }
            ElementType type = TYPES.get(random.nextInt(TYPES.size()));
            Distribution distribution = distribution(lengths);
            try (GlobalArray array = allocate(type, kind, distribution);
                    GlobalArray second = allocate(type, kind, distribution(lengths))) {
                Twin a = start(array, lengths);
                Twin b = start(second, lengths);
                putAndGet(a);
                copyAgain(a, b);
                transpose(a, kind);
                arithmetic(a);
            }
        }
    }

    private GlobalArray allocate(ElementType type, MemoryKind kind, Distribution distribution) {
        long[] ghosts = new long[distribution.dimensions()];
        for (int dimension = 0; dimension < ghosts.length; dimension++) {
            ghosts[dimension] = distribution.axis(dimension).isOneBlock() ? random.nextInt(3) : 0;
        }
        return GlobalArray.allocate(rank, type, kind, distribution, ghosts);
    }

    private Distribution distribution(long... lengths) {
        return distribution(random, rank.ranks(), lengths);
    }

    /** A grid of these ranks or fewer, with axes of all kinds. */
    static Distribution distribution(Random random, int all, long... lengths) {
        Axis[] axes = new Axis[lengths.length];
        int rest = all;
        for (int dimension = 0; dimension < axes.length; dimension++) {
            int ranks = 1 + random.nextInt(rest);
            rest /= ranks;
            axes[dimension] = switch (random.nextInt(3)) {
                case 0 -> Axis.block(lengths[dimension], ranks);
                case 1 -> Axis.cyclic(lengths[dimension], ranks);
                default -> Axis.blockCyclic(lengths[dimension], ranks, 1 + random.nextInt(4));
            };
        }
        return Distribution.of(axes);
    }

    /** Sets all elements, by one rank, to small random numbers. */
    private Twin start(GlobalArray array, long[] lengths) {
        int count = (int) Arrays.stream(lengths).reduce(1, (x, y) -> x * y);
        double[] values = numbers(array.type(), count);
        if (rank.rank() == random.nextInt(rank.ranks())) {
            array.all().put(buffer(array.type(), values));
        }
        rank.barrier();
        Twin twin = new Twin(array, lengths, values);
        check(twin, "start");
        return twin;
    }

    private double[] numbers(ElementType type, int count) {
        return random.ints(count, -9, 10).mapToDouble(value -> element(type, value)).toArray();
    }

    /** A number as an element has it: those of CHAR have no sign. */
    private static double element(ElementType type, double value) {
        return type == ElementType.CHAR ? (char) (int) value : value;
    }

    private static Buffer buffer(ElementType type, double... values) {
        Buffer buffer = Buffer.ofHost(MemorySegment.ofArray(new byte[(int) type.bytes(values.length)]), type);
        for (int i = 0; i < values.length; i++) {
            switch (type) {
                case INT -> buffer.segment().setAtIndex(ElementType.LAYOUT_INT, i, (int) values[i]);
                case LONG -> buffer.segment().setAtIndex(ElementType.LAYOUT_LONG, i, (long) values[i]);
                case FLOAT -> buffer.segment().setAtIndex(ElementType.LAYOUT_FLOAT, i, (float) values[i]);
                case BYTE -> buffer.segment().set(ValueLayout.JAVA_BYTE, i, (byte) values[i]);
                case SHORT, CHAR -> buffer.segment().setAtIndex(ElementType.LAYOUT_SHORT, i, (short) (int) values[i]);
                default -> buffer.segment().setAtIndex(ElementType.LAYOUT_DOUBLE, i, values[i]);
            }
        }
        return buffer;
    }

    private static double value(Buffer buffer, int i) {
        return switch (buffer.type()) {
            case INT -> buffer.segment().getAtIndex(ElementType.LAYOUT_INT, i);
            case LONG -> buffer.segment().getAtIndex(ElementType.LAYOUT_LONG, i);
            case FLOAT -> buffer.segment().getAtIndex(ElementType.LAYOUT_FLOAT, i);
            case BYTE -> buffer.segment().get(ValueLayout.JAVA_BYTE, i);
            case SHORT, CHAR -> element(buffer.type(), buffer.segment().getAtIndex(ElementType.LAYOUT_SHORT, i));
            default -> buffer.segment().getAtIndex(ElementType.LAYOUT_DOUBLE, i);
        };
    }

    /** Compares a random section, and single elements, with the twin. */
    private void check(Twin twin, String after) {
        Range[] ranges = ranges(twin.lengths());
        Section section = twin.array().section(ranges);
        Buffer seen = buffer(twin.array().type(), new double[(int) section.count()]);
        section.get(seen);
        int[] at = new int[1];
        forEach(ranges, index -> {
            assertEquals(twin.values()[twin.at(index)], value(seen, at[0]), () -> after + ": element " + Arrays.toString(index)
                    + " of " + twin.array() + " on rank " + rank.rank());
            assertEquals(twin.array().distribution().rankOf(index), twin.array().locate(index).rank());
            at[0]++;
        });
        rank.barrier();
    }

    private Range[] ranges(long... lengths) {
        Range[] ranges = new Range[lengths.length];
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            long from = random.nextLong(lengths[dimension] + 1);
            ranges[dimension] = Range.of(from, from + random.nextLong(lengths[dimension] - from + 1));
        }
        return random.nextInt(3) > 0 ? ranges : all(lengths);
    }

    static Range[] all(long... lengths) {
        return Arrays.stream(lengths).mapToObj(length -> Range.of(0, length)).toArray(Range[]::new);
    }

    /** Calls {@code body} with every index of a box. */
    static void forEach(Range[] ranges, GlobalArray.IndexBody body) {
        visit(ranges, new long[ranges.length], 0, body);
    }

    private static void visit(Range[] ranges, long[] index, int dimension, GlobalArray.IndexBody body) {
        if (dimension == index.length) {
            body.at(index.clone());
            return;
        }
        for (long i = ranges[dimension].from(); i < ranges[dimension].to(); i++) {
            index[dimension] = i;
            visit(ranges, index, dimension + 1, body);
        }
    }

    private void putAndGet(Twin twin) {
        Range[] ranges = ranges(twin.lengths());
        Section section = twin.array().section(ranges);
        double[] values = numbers(twin.array().type(), (int) section.count());
        if (rank.rank() == random.nextInt(rank.ranks())) {
            section.put(buffer(twin.array().type(), values));
        }
        int[] at = new int[1];
        forEach(ranges, index -> twin.values()[twin.at(index)] = values[at[0]++]);
        rank.barrier();
        check(twin, "put " + Arrays.toString(ranges));
    }

    /** Copies of two sections in turn, of other elements each time. */
    private void copyAgain(Twin a, Twin b) {
        Range[][] from = {ranges(a.lengths()), ranges(a.lengths())};
        Range[][] to = {places(a, from[0]), places(a, from[1])};
        for (int round = 0; round < 4; round++) {
            copy(a, from[round % 2], b, to[round % 2]);
            putAndGet(a);
        }
    }

    /** As many indices as of these, at a random place. */
    private Range[] places(Twin a, Range... from) {
        Range[] to = new Range[from.length];
        for (int dimension = 0; dimension < to.length; dimension++) {
            long start = random.nextLong(a.lengths()[dimension] - from[dimension].length() + 1);
            to[dimension] = Range.of(start, start + from[dimension].length());
        }
        return to;
    }

    private void copy(Twin a, Range[] from, Twin b, Range[] to) {
        a.array().section(from).copyTo(b.array().section(to));
        forEach(from, index -> {
            long[] target = new long[index.length];
            Arrays.setAll(target, d -> index[d] - from[d].from() + to[d].from());
            b.values()[b.at(target)] = a.values()[a.at(index)];
        });
        check(b, "copy of " + Arrays.toString(from) + " of " + a.array());
    }

    private void transpose(Twin a, MemoryKind kind) {
        int dimensions = a.lengths().length;
        long[] lengths = new long[dimensions];
        Arrays.setAll(lengths, d -> a.lengths()[dimensions - 1 - d]);
        try (GlobalArray array = allocate(a.array().type(), kind, distribution(lengths))) {
            Twin b = start(array, lengths);
            a.array().transposeTo(array);
            forEach(all(a.lengths()), index -> {
                long[] target = new long[dimensions];
                Arrays.setAll(target, d -> index[dimensions - 1 - d]);
                b.values()[b.at(target)] = a.values()[a.at(index)];
            });
            check(b, "transposition of " + a.array());
        }
    }

    /** For a sum of products of elements of a type. */
    private static Buffer one(ElementType type) {
        return RowMath.of(type).isIntegral() ? buffer(ElementType.LONG, 0) : buffer(ElementType.DOUBLE, 0);
    }

    private static double number(Buffer one) {
        return one.type() == ElementType.LONG ? one.segment().get(ElementType.LAYOUT_LONG, 0)
                : one.segment().get(ElementType.LAYOUT_DOUBLE, 0);
    }

    private void arithmetic(Twin a) {
        long[] ghosts = new long[a.lengths().length];
        Arrays.setAll(ghosts, a.array()::ghosts);
        try (GlobalArray array = GlobalArray.allocate(rank, a.array().type(), a.array().kind(), a.array().distribution(),
                ghosts)) {
            Twin b = start(array, a.lengths());
            double dot = 0;
            for (int i = 0; i < a.values().length; i++) {
                dot += a.values()[i] * b.values()[i];
            }
            Buffer first = one(array.type());
            Buffer second = one(array.type());
            rank.barrier();
            Handle handle = a.array().startDot(array, first);
            Handle next = array.startDot(array, second);
            assertEquals(dot, a.array().dot(array), "dot of " + array);
            assertTrue(handle.trySync(), "started before a blocking operation of the team");
            next.sync();
            assertEquals(dot, number(first), "started dot of " + array);
            assertThrows(IllegalArgumentException.class, () -> array.startDot(array, buffer(ElementType.INT, 0)));
            assertEquals(array.dot(array), number(second), "started dot of an array with itself");
            a.array().scale(3);
            b.array().add(2, a.array(), -1, b.array());
            for (int i = 0; i < a.values().length; i++) {
                a.values()[i] = element(array.type(), 3 * a.values()[i]);
                b.values()[i] = element(array.type(), 2 * a.values()[i] - b.values()[i]);
            }
            check(a, "scale");
            check(b, "add");
            b.array().fill(5);
            Arrays.fill(b.values(), 5);
            check(b, "fill");
        }
    }
}
