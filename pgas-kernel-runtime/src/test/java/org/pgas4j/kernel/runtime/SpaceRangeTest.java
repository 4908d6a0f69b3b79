package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.kernel.IndexSpace.Dimension;

/** Places of index spaces, against their definition. */
class SpaceRangeTest {

    private static final int TRIALS = 2000;

    private static Dimension dimension(Random random) {
        int ranks = 1 + random.nextInt(4);
        long from = random.nextInt(12);
        long to = from + random.nextInt(30);
        return new Dimension(from, to, 1 + random.nextInt(4), 1 + random.nextInt(9), ranks, random.nextInt(ranks));
    }

    private static List<Long> indices(Dimension of) {
        List<Long> indices = new ArrayList<>();
        for (long i = of.from(); i < of.to(); i += of.step()) {
            if (i / of.block() % of.ranks() == of.coordinate()) {
                indices.add(i);
            }
        }
        return indices;
    }

    private static List<List<Long>> seen(SpaceRange range, int parts) {
        List<List<Long>> seen = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            range.forEach(range.start(part, parts), range.start(part + 1, parts), (i, j, k) -> seen.add(List.of(i, j, k)));
        }
        return seen;
    }

    @Test
    void shouldVisitEachIndexOnceInOrder() {
        Random random = new Random(5);
        for (int trial = 0; trial < TRIALS; trial++) {
            Dimension[] of = {dimension(random), dimension(random), dimension(random)};
            List<List<Long>> expected = new ArrayList<>();
            for (long i : indices(of[0])) {
                for (long j : indices(of[1])) {
                    indices(of[2]).forEach(k -> expected.add(List.of(i, j, k)));
                }
            }
            IndexSpace space = IndexSpace.of(of);
            assertEquals(expected, seen(SpaceRange.of(space, 3), 1 + random.nextInt(5)), space::toString);
        }
    }

    @Test
    void shouldFillMissingDimensionsFromTheFront() {
        List<List<Long>> expected = List.of(List.of(0L, 0L, 1L), List.of(0L, 0L, 3L));

        assertEquals(expected, seen(SpaceRange.of(IndexSpace.of(5).range(0, 1, 5, 2), 1), 1));
        assertEquals(expected, seen(SpaceRange.of(IndexSpace.of(1, 5).range(1, 1, 5, 2), 2), 3));
    }

    @Test
    void shouldRefuseAnotherNumberOfDimensions() {
        assertThrows(IllegalArgumentException.class, () -> SpaceRange.of(IndexSpace.of(3, 4), 3));
        assertThrows(IllegalArgumentException.class, () -> IndexSpace.of(1, 2, 3, 4));
        assertThrows(IllegalArgumentException.class, () -> new Dimension(0, 5, 0, 1, 1, 0));
    }

    @Test
    void shouldCountLargeSpaces() {
        assertEquals(0, SpaceRange.of(IndexSpace.of(1L << 40, 1L << 40, 0), 3).count());
        assertEquals(Long.MAX_VALUE, SpaceRange.of(IndexSpace.of(1, 1, Long.MAX_VALUE), 3).count());
        SpaceRange large = SpaceRange.of(IndexSpace.of(1L << 40, 1L << 23), 2);
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, large::count);
        assertEquals("a kernel that loops over 1 x 1099511627776 x 8388608 indices of this rank (expected: fewer than 2^63 in"
                + " all)", refusal.getMessage());
        IndexSpace one = IndexSpace.of(new Dimension(50, 100, Long.MAX_VALUE - 20, 60, 2, 1)); // its only index is another's
        assertEquals(0, SpaceRange.of(one, 1).count());
    }

    @Test
    void shouldCoverTheSpaceWithTiles() {
        Random random = new Random(6);
        for (int trial = 0; trial < TRIALS; trial++) {
            IndexSpace space = IndexSpace.of(1 + random.nextInt(5), 1 + random.nextInt(300), 1 + random.nextInt(3000));
            SpaceRange.Tiles tiles = SpaceRange.of(space, 3).tiles(1 + random.nextInt(1000), 256);

            assertEquals(8, tiles.x() + tiles.y() + tiles.z(), space::toString);
        }
        SpaceRange.Tiles wide = SpaceRange.of(IndexSpace.of(4, 1_000_000_000_000L), 2).tiles(100, 256);
        assertEquals(new SpaceRange.Tiles(6, 2, 0, 100, 1, 1), wide);
    }
}
