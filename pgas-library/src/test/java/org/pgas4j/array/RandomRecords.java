package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;

/** Random operations on global arrays of records and booleans, beside the same on plain bytes that every rank keeps. */
final class RandomRecords {

    private static final List<Integer> SIZES = List.of(1, 3, 8, 12, 16, 24, 40, 100);

    private final Rank rank;
    private final Random random; // the same on all ranks

    RandomRecords(Rank rank, long seed) {
        this.rank = rank;
        this.random = new Random(seed);
    }

    /** An array and its plain twin; booleans have size 0 here. */
    private record Twin(GlobalArray array, long[] lengths, int size, byte[] bytes) {

        /** The first byte of an element. */
        int at(long... index) {
            int at = 0;
            for (int dimension = 0; dimension < lengths.length; dimension++) {
                at = at * (int) lengths[dimension] + (int) index[dimension];
            }
            return at * elementBytes();
        }

        int elementBytes() {
            return Math.max(1, size);
        }
    }

    void run(MemoryKind kind, int rounds) {
        for (int round = 0; round < rounds; round++) {
            int dimensions = 1 + random.nextInt(4);
            long[] lengths = new long[dimensions];
            for (int dimension = 0; dimension < dimensions; dimension++) {
                lengths[dimension] = 1 + random.nextInt(dimensions > 2 ? 5 : 13);
            }
            int size = round % 4 == 0 ? 0 : SIZES.get(random.nextInt(SIZES.size()));
            try (GlobalArray array = allocate(size, kind, RandomArrays.distribution(random, rank.ranks(), lengths));
                    GlobalArray second = allocate(size, kind, RandomArrays.distribution(random, rank.ranks(), lengths))) {
                Twin a = fill(array, size, lengths);
                Twin b = fill(second, size, lengths);
                put(a);
                array.copyTo(second);
                System.arraycopy(a.bytes(), 0, b.bytes(), 0, a.bytes().length);
                check(b, "copy");
                put(b);
                exchangeGhosts(b);
                transpose(b, kind);
            }
        }
    }

    private GlobalArray allocate(int size, MemoryKind kind, Distribution distribution) {
        long[] ghosts = new long[distribution.dimensions()];
        for (int dimension = 0; dimension < ghosts.length; dimension++) {
            ghosts[dimension] = distribution.axis(dimension).isOneBlock() ? random.nextInt(3) : 0;
        }
        return size == 0 ? GlobalArray.allocateBooleans(rank, kind, distribution, ghosts)
                : GlobalArray.allocateRecords(rank, MemoryLayout.sequenceLayout(size, ValueLayout.JAVA_BYTE), kind, distribution,
                        ghosts);
    }

    private byte[] bytes(Twin of, long elements) {
        byte[] bytes = new byte[(int) elements * of.elementBytes()];
        random.nextBytes(bytes);
        for (int i = 0; of.size() == 0 && i < bytes.length; i++) {
            bytes[i] &= 1;
        }
        return bytes;
    }

    private static boolean[] booleans(byte... bytes) {
        boolean[] all = new boolean[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            all[i] = bytes[i] != 0;
        }
        return all;
    }

    private Twin fill(GlobalArray array, int size, long... lengths) {
        long count = Arrays.stream(lengths).reduce(1, (x, y) -> x * y);
        Twin twin = new Twin(array, lengths, size, new byte[(int) count * Math.max(1, size)]);
        byte[] element = bytes(twin, 1);
        if (size == 0) {
            array.fill(element[0] != 0);
        } else {
            array.fill(MemorySegment.ofArray(element));
        }
        for (int i = 0; i < twin.bytes().length; i++) {
            twin.bytes()[i] = element[i % element.length];
        }
        check(twin, "fill");
        return twin;
    }

    /** One rank writes a section, of every so many indices. */
    private void put(Twin twin) {
        Range[] ranges = ranges(twin.lengths());
        Section section = twin.array().section(ranges);
        byte[] values = bytes(twin, section.count());
        if (rank.rank() == random.nextInt(rank.ranks())) {
            if (twin.size() == 0) {
                section.put(booleans(values));
            } else {
                section.put(Buffer.ofHost(MemorySegment.ofArray(values), ElementType.BYTE));
            }
        }
        int[] at = new int[1];
        forEach(ranges, index -> {
            System.arraycopy(values, at[0], twin.bytes(), twin.at(index), twin.elementBytes());
            at[0] += twin.elementBytes();
        });
        rank.barrier();
        check(twin, "put " + Arrays.toString(ranges));
    }

    private Range[] ranges(long... lengths) {
        Range[] ranges = new Range[lengths.length];
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            long from = random.nextLong(lengths[dimension]);
            long to = from + 1 + random.nextLong(lengths[dimension] - from);
            ranges[dimension] = Range.of(from, to, 1 + random.nextInt(2));
        }
        return ranges;
    }

    private static void forEach(Range[] ranges, GlobalArray.IndexBody body) {
        Range[] counted = Arrays.stream(ranges).map(range -> Range.of(0, range.length())).toArray(Range[]::new);
        RandomArrays.forEach(counted, at -> {
            long[] index = new long[at.length];
            Arrays.setAll(index, d -> ranges[d].from() + at[d] * ranges[d].step());
            body.at(index);
        });
    }

    /** Compares a random section, and an element that its pointer gives, with the twin. */
    private void check(Twin twin, String after) {
        Range[] ranges = ranges(twin.lengths());
        Section section = twin.array().section(ranges);
        byte[] expected = new byte[(int) section.count() * twin.elementBytes()];
        int[] at = new int[1];
        forEach(ranges, index -> {
            System.arraycopy(twin.bytes(), twin.at(index), expected, at[0], twin.elementBytes());
            at[0] += twin.elementBytes();
        });
        String name = after + ": " + section + " on rank " + rank.rank();
        byte[] seen = new byte[expected.length];
        section.get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.BYTE));
        assertArrayEquals(expected, seen, name);
        if (twin.size() == 0) {
            boolean[] flags = new boolean[seen.length];
            section.get(flags);
            assertArrayEquals(booleans(expected), flags, name);
        }
        long[] first = Arrays.stream(ranges).mapToLong(Range::from).toArray();
        byte[] one = new byte[twin.elementBytes()];
        rank.memget(MemorySegment.ofArray(one), twin.array().locate(first), one.length);
        assertArrayEquals(Arrays.copyOf(expected, one.length), one, name);
        rank.barrier();
    }

    /** Every cell of the rank's memory that has an element is as the twin's. */
    private void exchangeGhosts(Twin twin) {
        GlobalArray array = twin.array();
        int dimensions = twin.lengths().length;
        boolean[] periodic = new boolean[dimensions];
        for (int dimension = 0; dimension < dimensions; dimension++) {
            periodic[dimension] = random.nextBoolean();
        }
        array.exchangeGhosts(periodic);
        LocalPart local = array.local();
        byte[] cells = new byte[(int) local.buffer().bytes()];
        rank.memget(MemorySegment.ofArray(cells), array.pointer(rank.rank(), 0), cells.length);
        if (local.count() > 0) {
            Range[] all = new Range[dimensions];
            Arrays.setAll(all, d -> Range.of(0, local.length(d) + 2 * array.ghosts(d)));
            int[] coordinates = array.distribution().coordinates(rank.rank());
            RandomArrays.forEach(all, at -> {
                long[] place = new long[dimensions];
                long[] index = new long[dimensions];
                boolean there = true;
                for (int d = 0; d < dimensions; d++) {
                    Axis axis = array.distribution().axis(d);
                    place[d] = at[d] - array.ghosts(d);
                    index[d] = array.ghosts(d) == 0 ? axis.index(coordinates[d], place[d])
                            : axis.index(coordinates[d], 0) + place[d];
                    there &= periodic[d] || index[d] >= 0 && index[d] < axis.length();
                    index[d] = Math.floorMod(index[d], axis.length());
                }
                int cell = (int) local.at(place) * twin.elementBytes();
                if (there) {
                    assertEquals(-1, Arrays.mismatch(cells, cell, cell + twin.elementBytes(), twin.bytes(), twin.at(index),
                            twin.at(index) + twin.elementBytes()), () -> "cell " + Arrays.toString(place) + " of " + array
                            + " periodic=" + Arrays.toString(periodic) + " on rank " + rank.rank());
                }
            });
        }
        rank.barrier();
    }

    private void transpose(Twin a, MemoryKind kind) {
        int dimensions = a.lengths().length;
        long[] lengths = new long[dimensions];
        Arrays.setAll(lengths, d -> a.lengths()[dimensions - 1 - d]);
        try (GlobalArray array = allocate(a.size(), kind, RandomArrays.distribution(random, rank.ranks(), lengths))) {
            Twin b = fill(array, a.size(), lengths);
            a.array().transposeTo(array);
            RandomArrays.forEach(RandomArrays.all(a.lengths()), index -> {
                long[] target = new long[dimensions];
                Arrays.setAll(target, d -> index[dimensions - 1 - d]);
                System.arraycopy(a.bytes(), a.at(index), b.bytes(), b.at(target), a.elementBytes());
            });
            check(b, "transpose of " + a.array());
        }
    }
}
