package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Overlaps of two axes against a look at every index. */
class OverlapTest {

    private static final int ROUNDS = 3000;

    private static void add(Map<List<Long>, Integer> pairs, Overlap overlap) {
        for (long i = 0; i < overlap.counts()[0]; i++) {
            for (long j = 0; j < overlap.counts()[1]; j++) {
                for (long k = 0; k < overlap.counts()[2]; k++) {
                    pairs.merge(List.of(overlap.a() + i * overlap.aSteps()[0] + j * overlap.aSteps()[1] + k * overlap.aSteps()[2],
                            overlap.b() + i * overlap.bSteps()[0] + j * overlap.bSteps()[1] + k * overlap.bSteps()[2]), 1,
                            Integer::sum);
                }
            }
        }
    }

    private static Map<List<Long>, Integer> expected(Overlap.Side a, Overlap.Side b, long count) {
        Map<List<Long>, Integer> pairs = new HashMap<>();
        for (long n = 0; n < count; n++) {
            if (a.next(n, count) == n && b.next(n, count) == n) {
                pairs.put(List.of(a.local(n), b.local(n)), 1);
            }
        }
        return pairs;
    }

    private static Axis axis(Random random, long length) {
        int ranks = 1 + random.nextInt(5);
        long block = random.nextInt(3) == 0 ? Math.ceilDiv(length, (long) ranks) : 1 + random.nextInt(12);
        return Axis.blockCyclic(length, ranks, block);
    }

    @Test
    void shouldFindEachIndexThatBothOwnOnce() {
        Random random = new Random(5);
        for (int round = 0; round < ROUNDS; round++) {
            long length = 1 + random.nextInt(300);
            Axis one = axis(random, length);
            Axis two = axis(random, length);
            long start = random.nextLong(length);
            long step = 1 + random.nextInt(3);
            long count = random.nextLong((length - start - 1) / step + 1) + 1;
            Overlap.Side a = new Overlap.Side(one, random.nextInt(one.ranks()), start, step);
            Overlap.Side b = new Overlap.Side(two, random.nextInt(two.ranks()), start, step);
            Map<List<Long>, Integer> found = new HashMap<>();
            Overlap.of(a, b, count).forEach(overlap -> add(found, overlap));
            assertEquals(expected(a, b, count), found, a + " " + b + " " + count);
        }
    }

    @Test
    void shouldDescribeLongAxesInFewPieces() {
        long length = 1_000_000_000_001L;
        for (long block : new long[] {1, 3, 64}) {
            Overlap.Side cyclic = new Overlap.Side(Axis.blockCyclic(length, 4, block), 3, 0);
            Overlap.Side even = new Overlap.Side(Axis.block(length, 3), 1, 0);
            assertTrue(Overlap.of(cyclic, even, length).size() <= 6, "pieces of cyclic and even");
            assertTrue(Overlap.of(even, cyclic, length).size() <= 6, "pieces of even and cyclic");
        }
    }

    @Test
    void shouldRepeatAWholeAxisInEveryPeriodOfTheOther() {
        for (long length : new long[] {128 * 45, 128 * 45 + 32, 23_170}) {
            Overlap.Side whole = new Overlap.Side(Axis.whole(length), 0, 0);
            Overlap.Side blocks = new Overlap.Side(Axis.blockCyclic(length, 2, 64), 0, 0);
            assertTrue(Overlap.of(blocks, whole, length).size() <= 2, "pieces of blocks and all of " + length);
            assertTrue(Overlap.of(whole, blocks, length).size() <= 2, "pieces of all and blocks of " + length);
        }
    }

    /** As many indices as an array of 64 GiB of doubles has: counts and places beyond 32 bits. */
    @Test
    void shouldCoverLongAxesWithinTheirParts() {
        long length = (1L << 33) + 5;
        cover(Axis.block(length, 3), Axis.cyclic(length, 4));
        cover(Axis.blockCyclic(length, 4, 7), Axis.blockCyclic(length, 3, 11));
        cover(Axis.blockCyclic(length, 4, 1 << 20), Axis.block(length, 7));
        cover(Axis.blockCyclic(length, 5, 1_000_003), Axis.blockCyclic(length, 4, 1_000_000));
    }

    private static void cover(Axis one, Axis two) {
        long indices = 0;
        for (int a = 0; a < one.ranks(); a++) {
            for (int b = 0; b < two.ranks(); b++) {
                for (Overlap each : Overlap.of(new Overlap.Side(one, a, 0), new Overlap.Side(two, b, 0), one.length())) {
                    indices += each.counts()[0] * each.counts()[1] * each.counts()[2];
                    assertTrue(each.a() >= 0 && last(each.a(), each.counts(), each.aSteps()) < one.lengthOn(a), "place " + each);
                    assertTrue(each.b() >= 0 && last(each.b(), each.counts(), each.bSteps()) < two.lengthOn(b), "place " + each);
                }
            }
        }
        assertEquals(one.length(), indices, one + " and " + two);
    }

    private static long last(long first, long[] counts, long[] steps) {
        long last = first;
        for (int level = 0; level < counts.length; level++) {
            last += (counts[level] - 1) * steps[level];
        }
        return last;
    }
}
