package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Descriptors of transfers of many pieces, against lists of single bytes. */
class StridedTest {

    /** Pairs of offsets in order, one for each byte. */
    private static List<List<Long>> bytes(Pieces pieces) {
        List<List<Long>> all = new ArrayList<>();
        pieces.forEach((dst, src, bytes) -> {
            for (long i = 0; i < bytes; i++) {
                all.add(List.of(dst + i, src + i));
            }
        });
        return all;
    }

    private static void expect(List<List<Long>> all, long run, long[] counts, long[] dst, long[] src, int level, long d, long s) {
        if (level == counts.length) {
            for (long i = 0; i < run; i++) {
                all.add(List.of(d + i, s + i));
            }
            return;
        }
        for (long i = 0; i < counts[level]; i++) {
            expect(all, run, counts, dst, src, level + 1, d + i * dst[level], s + i * src[level]);
        }
    }

    @Test
    void shouldNameTheSameBytesAfterMergingLevels() {
        Random random = new Random(1);
        for (int trial = 0; trial < 5_000; trial++) {
            int levels = random.nextInt(5);
            long run = random.nextInt(4);
            long[] counts = new long[levels];
            long[] dst = new long[levels];
            long[] src = new long[levels];
            for (int level = 0; level < levels; level++) {
                counts[level] = random.nextInt(4);
                dst[level] = random.nextInt(9);
                src[level] = random.nextInt(9);
            }
            Strided shape = Strided.of(run, counts, dst, src);
            List<List<Long>> expected = new ArrayList<>();
            expect(expected, run, counts, dst, src, 0, 0, 0);

            assertEquals(expected, bytes(shape), shape.toString());
            assertEquals(expected.size(), shape.bytes());
            assertEquals(expected.stream().mapToLong(List::getFirst).max().orElse(-1) + 1, shape.dstExtent(), shape.toString());
            assertEquals(expected.stream().mapToLong(List::getLast).max().orElse(-1) + 1, shape.srcExtent(), shape.toString());
            assertEquals(shape.dstExtent(), shape.reversed().srcExtent());
        }
    }

    @Test
    void shouldMergeContiguousLevels() {
        Strided all = Strided.of(8, new long[] {2, 3, 4}, new long[] {96, 32, 8}, new long[] {96, 32, 8});
        assertEquals(192, all.run());
        assertEquals(1, all.count());
        Strided matrix = Strided.of(8, new long[] {2, 3, 4}, new long[] {300, 100, 8}, new long[] {96, 32, 8});
        assertEquals(32, matrix.run());
        assertEquals(1, matrix.levels());
        assertEquals(6, matrix.count(0));
        assertEquals(100, matrix.dstStride(0));
        assertEquals(1, Strided.contiguous(7).count());
        assertEquals(0, Strided.contiguous(0).count());
    }

    @Test
    void shouldRefuseShapesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> Strided.rows(-1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> Strided.rows(1, -1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> Strided.rows(1, 2, -1, 1));
        assertThrows(IllegalArgumentException.class, () -> Strided.of(1, new long[1], new long[2], new long[1]));
        assertThrows(IllegalArgumentException.class, () -> Strided.rows(1L << 40, 1L << 40, 1L << 41, 1L << 41));
        assertThrows(IllegalArgumentException.class, () -> Strided.rows(8, 3, Long.MAX_VALUE / 2, 8));
    }

    @Test
    void shouldListPiecesOfOneSizeAndOfMany() {
        Indexed same = Indexed.of(2, new long[] {5, 0}, new long[] {0, 9});
        assertEquals(List.of(List.of(5L, 0L), List.of(6L, 1L), List.of(0L, 9L), List.of(1L, 10L)), bytes(same));
        assertEquals(7, same.dstExtent());
        assertEquals(11, same.srcExtent());
        assertEquals(4, same.bytes());
        Indexed list = Indexed.list(new long[] {1, 0, 2}, new long[] {3, 100, 7}, new long[] {0, 200, 4});
        assertEquals(List.of(List.of(3L, 0L), List.of(7L, 4L), List.of(8L, 5L)), bytes(list));
        assertEquals(9, list.dstExtent());
        assertEquals(3, list.bytes());
        assertThrows(IllegalArgumentException.class, () -> Indexed.of(1, new long[2], new long[3]));
        assertThrows(IllegalArgumentException.class, () -> Indexed.of(-1, new long[1], new long[1]));
        assertThrows(IllegalArgumentException.class, () -> Indexed.list(new long[2], new long[1], new long[1]));
        assertThrows(IllegalArgumentException.class, () -> Indexed.of(1, new long[] {-1}, new long[1]));
        assertThrows(IllegalArgumentException.class, () -> Indexed.of(2, new long[] {Long.MAX_VALUE}, new long[1]));
    }
}
