package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Index arithmetic of distributions, against dealing out blocks one by one. */
class IndexTest {

    /** Indices of each coordinate, as blocks are dealt out. */
    private static List<List<Long>> dealt(Axis axis) {
        List<List<Long>> owned = new ArrayList<>();
        for (int coordinate = 0; coordinate < axis.ranks(); coordinate++) {
            owned.add(new ArrayList<>());
        }
        int turn = 0;
        for (long index = 0; index < axis.length(); index++) {
            owned.get(turn).add(index);
            if ((index + 1) % axis.block() == 0) {
                turn = (turn + 1) % axis.ranks();
            }
        }
        return owned;
    }

    private static List<Axis> axes(int maxLength) {
        List<Axis> all = new ArrayList<>();
        for (int length = 0; length <= maxLength; length++) {
            for (int ranks = 1; ranks <= 5; ranks++) {
                for (int block = 1; block <= Math.max(1, length); block++) {
                    all.add(new Axis(length, ranks, block));
                }
            }
        }
        return all;
    }

    @Test
    void shouldFindIndicesOfTwoRanges() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            Range one = Range.of(random.nextInt(9), 9 + random.nextInt(12), 1 + random.nextInt(7));
            Range other = Range.of(random.nextInt(20), 20 + random.nextInt(9), 1 + random.nextInt(9));
            Set<Long> indices = new HashSet<>();
            for (long at = one.from(); at < one.to(); at += one.step()) {
                indices.add(at);
            }
            boolean meets = false;
            for (long at = other.from(); at < other.to(); at += other.step()) {
                meets |= indices.contains(at);
            }
            assertEquals(meets, one.meets(other), one + " " + other);
            assertEquals(meets, other.meets(one), one + " " + other);
        }
        assertFalse(Range.of(3, 3).meets(Range.of(0, 9)));
    }

    @Test
    void shouldDealOutEveryIndexOnce() {
        for (Axis axis : axes(17)) {
            List<List<Long>> owned = dealt(axis);
            long most = 0;
            for (int coordinate = 0; coordinate < axis.ranks(); coordinate++) {
                List<Long> indices = owned.get(coordinate);
                assertEquals(indices.size(), axis.lengthOn(coordinate), axis + " on " + coordinate);
                for (int local = 0; local < indices.size(); local++) {
                    assertEquals(coordinate, axis.owner(indices.get(local)), axis + " index " + indices.get(local));
                    assertEquals(local, axis.local(indices.get(local)), axis + " index " + indices.get(local));
                    assertEquals(indices.get(local), axis.index(coordinate, local), axis + " local " + local);
                }
                most = Math.max(most, indices.size());
                assertFalse(axis.isOneBlock() && !indices.isEmpty()
                        && indices.getLast() - indices.getFirst() != indices.size() - 1, axis.toString());
            }
            assertEquals(most, axis.maxLength(), axis.toString());
        }
        assertTrue(Axis.block(10, 3).isOneBlock());
        assertFalse(Axis.cyclic(10, 3).isOneBlock());
        assertEquals(new Axis(3, 2, 3), Axis.blockCyclic(3, 2, 100));
    }

    @Test
    void shouldRefuseADistributionOverNoRanks() {
        for (int ranks : new int[] {0, -3}) {
            String message = assertThrows(IllegalArgumentException.class, () -> Distribution.blocks(ranks, 4)).getMessage();
            assertTrue(message.contains("ranks=" + ranks + " lengths=[4]"), message);
            assertThrows(IllegalArgumentException.class, () -> Axis.block(4, ranks));
        }
        assertThrows(IllegalArgumentException.class, () -> Distribution.blocks(2));
        assertThrows(IllegalArgumentException.class, () -> Distribution.blocks(2, -4));
    }

    /** Pairs of places in order of the index, each once. */
    private static List<List<Long>> pairs(List<Overlap> overlaps) {
        List<List<Long>> all = new ArrayList<>();
        for (Overlap overlap : overlaps) {
            for (long i = 0; i < overlap.counts()[0]; i++) {
                for (long j = 0; j < overlap.counts()[1]; j++) {
                    for (long k = 0; k < overlap.counts()[2]; k++) {
                        all.add(List.of(overlap.a() + i * overlap.aSteps()[0] + j * overlap.aSteps()[1] + k * overlap.aSteps()[2],
                                overlap.b() + i * overlap.bSteps()[0] + j * overlap.bSteps()[1] + k * overlap.bSteps()[2]));
                    }
                }
            }
        }
        return all.stream().sorted(java.util.Comparator.comparing(List::getFirst)).toList();
    }

    private static void checkOverlap(Axis a, long aStart, Axis b, long bStart, long count) {
        for (int i = 0; i < a.ranks(); i++) {
            for (int j = 0; j < b.ranks(); j++) {
                List<List<Long>> expected = new ArrayList<>();
                for (long at = 0; at < count; at++) {
                    if (a.owner(aStart + at) == i && b.owner(bStart + at) == j) {
                        expected.add(List.of(a.local(aStart + at), b.local(bStart + at)));
                    }
                }
                List<Overlap> found = Overlap.of(new Overlap.Side(a, i, aStart), new Overlap.Side(b, j, bStart), count);
                assertEquals(expected, pairs(found), a + " from " + aStart + " on " + i + ", " + b + " from " + bStart + " on "
                        + j + ", " + count);
            }
        }
    }

    @Test
    void shouldFindWhatTwoSmallAxesOwnBoth() {
        List<Axis> axes = axes(7);
        for (Axis a : axes) {
            for (Axis b : axes) {
                if (a.length() == b.length()) {
                    checkOverlap(a, 0, b, 0, a.length());
                }
            }
        }
    }

    @Test
    void shouldFindWhatRandomPartsOfAxesOwnBoth() {
        Random random = new Random(5);
        for (int trial = 0; trial < 3_000; trial++) {
            Axis a = random(random);
            Axis b = random(random);
            long aStart = random.nextLong(a.length());
            long bStart = random.nextLong(b.length());
            checkOverlap(a, aStart, b, bStart, random.nextLong(Math.min(a.length() - aStart, b.length() - bStart) + 1));
        }
    }

    /** Every so many indices, with other steps on both sides. */
    @Test
    void shouldFindWhatBothOwnOfIndicesWithSteps() {
        Random random = new Random(6);
        for (int trial = 0; trial < 3_000; trial++) {
            Overlap.Side a = side(random);
            Overlap.Side b = side(random);
            long count = random.nextLong(Math.min(count(a), count(b)) + 1);
            for (int i = 0; i < a.axis().ranks(); i++) {
                for (int j = 0; j < b.axis().ranks(); j++) {
                    Overlap.Side onI = new Overlap.Side(a.axis(), i, a.start(), a.step());
                    Overlap.Side onJ = new Overlap.Side(b.axis(), j, b.start(), b.step());
                    List<List<Long>> expected = new ArrayList<>();
                    for (long at = 0; at < count; at++) {
                        long inA = a.start() + at * a.step();
                        long inB = b.start() + at * b.step();
                        if (a.axis().owner(inA) == i && b.axis().owner(inB) == j) {
                            expected.add(List.of(a.axis().local(inA), b.axis().local(inB)));
                        }
                    }
                    assertEquals(expected, pairs(Overlap.of(onI, onJ, count)), onI + ", " + onJ + ", " + count);
                }
            }
        }
    }

    private static Overlap.Side side(Random random) {
        Axis axis = random(random);
        return new Overlap.Side(axis, 0, random.nextLong(axis.length()), 1 + random.nextInt(6));
    }

    private static long count(Overlap.Side side) {
        return Math.ceilDiv(side.axis().length() - side.start(), side.step());
    }

    @Test
    void shouldTakePartsOfRanges() {
        Range range = Range.of(3, 20, 4); // 3, 7, 11, 15, 19

        assertEquals(5, range.length());
        assertEquals(Range.of(7, 16, 4), range.part(Range.of(1, 4)));
        assertEquals(Range.of(3, 20, 8), range.part(Range.of(0, 5, 2)));
        assertEquals(Range.of(11, 12), range.part(Range.at(2)));
        assertEquals(0, range.part(Range.of(5, 5)).length());
        assertEquals(Range.of(0, 5), Range.of(0, 5).part(Range.of(0, 5)));
        assertThrows(IndexOutOfBoundsException.class, () -> range.part(Range.of(1, 6)));
        assertThrows(IllegalArgumentException.class, () -> Range.of(0, 5, 0));
    }

    private static Axis random(Random random) {
        long length = 1 + random.nextInt(60);
        return Axis.blockCyclic(length, 1 + random.nextInt(4), 1 + random.nextInt(random.nextBoolean() ? 4 : (int) length));
    }

    @Test
    void shouldDescribeAHugeCyclicAxisByFewPieces() {
        Axis cyclic = Axis.cyclic(1L << 40, 3);
        Axis other = Axis.blockCyclic(1L << 40, 4, 5);
        List<Overlap> overlaps = Overlap.of(new Overlap.Side(cyclic, 1, 0), new Overlap.Side(other, 2, 0), 1L << 40);
        assertTrue(overlaps.size() < 20, overlaps::toString);
    }

    @Test
    void shouldNumberRanksOfAGrid() {
        Distribution grid = Distribution.of(Axis.block(10, 2), Axis.cyclic(9, 3));
        assertEquals(6, grid.ranks());
        for (int rank = 0; rank < 6; rank++) {
            assertEquals(rank, grid.rank(grid.coordinates(rank)));
        }
        assertEquals(4, grid.rankOf(5, 4));
        assertEquals(0, grid.lengthOn(6, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> grid.rankOf(10, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> grid.rankOf(0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> grid.rankOf(1));
        assertThrows(IllegalArgumentException.class, Distribution::of);
        assertThrows(IllegalArgumentException.class, () -> new Axis(4, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Axis(4, 1, 5));
        assertThrows(IllegalArgumentException.class, () -> Range.of(3, 2));
    }

    @Test
    void shouldMakeGridsAsSquareAsPossible() {
        assertArrayEquals(new long[] {50, 50}, blocks(4, 100, 100));
        assertArrayEquals(new long[] {34, 50}, blocks(6, 100, 100));
        assertArrayEquals(new long[] {250, 100}, blocks(4, 1000, 100));
        assertArrayEquals(new long[] {5, 5, 5}, blocks(8, 10, 10, 10));
        assertArrayEquals(new long[] {15}, blocks(7, 100));
    }

    /** Block of each dimension. */
    private static long[] blocks(int ranks, long... lengths) {
        Distribution distribution = Distribution.blocks(ranks, lengths);
        assertEquals(ranks, distribution.ranks());
        long[] blocks = new long[lengths.length];
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            blocks[dimension] = distribution.axis(dimension).block();
        }
        return blocks;
    }
}
