package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.RankTasks;
import org.pgas4j.space.sync.ScalarAllReduce;

/** Places of ranks in each other's tables. */
@Timeout(30)
class PartnersTest {

    private static final int NONE = BlockLayout.NO_PLACE;

    /** Places that ranks learn which name these partners, and ask each other by a map. */
    private static List<Partners> meet(List<List<Integer>> named) throws Exception {
        int ranks = named.size();
        Map<Integer, Partners> tables = new ConcurrentHashMap<>();
        try (PlainRanks all = new PlainRanks(ranks)) {
            return RankTasks.run(ranks, rank -> () -> {
                ScalarAllReduce words = all.words(rank);
                Partners own = Partners.of(rank, ranks, named.get(rank), words);
                tables.put(rank, own);
                words.broadcast(0L, 0);
                own.meet((partner, of) -> tables.get(partner).here(of), words);
                return own;
            });
        }
    }

    @Test
    void shouldKnowBothPlacesOfEachPair() throws Exception {
        List<List<Integer>> named = List.of(List.of(1, 2, 4), List.of(0), List.of(0, 2, 3), List.of(2), List.of(0));

        List<Partners> met = meet(named);

        for (int rank = 0; rank < 5; rank++) {
            Partners own = met.get(rank);
            assertEquals(4, own.most(), "rank 0 has three and itself");
            assertEquals(0, own.here(rank));
            assertEquals(0, own.there(rank));
            for (int other = 0; other < 5; other++) {
                assertEquals(other == rank || named.get(rank).contains(other), own.has(other), rank + " of " + other);
                assertEquals(own.has(other) ? met.get(other).here(rank) : NONE, own.there(other), rank + " at " + other);
            }
        }
        assertEquals(List.of(0, 1, 2, NONE, 3), List.of(met.get(0).here(0), met.get(0).here(1), met.get(0).here(2),
                met.get(0).here(3), met.get(0).here(4)));
    }

    @Test
    void shouldRefuseOnEveryRankAPartnerThatDoesNotNameTheRank() throws Exception {
        List<List<Integer>> named = List.of(List.of(1), List.of(0, 2), List.of());
        try (PlainRanks all = new PlainRanks(3)) {
            Map<Integer, Partners> tables = new ConcurrentHashMap<>();
            List<String> messages = RankTasks.run(3, rank -> () -> {
                ScalarAllReduce words = all.words(rank);
                Partners own = Partners.of(rank, 3, named.get(rank), words);
                tables.put(rank, own);
                words.broadcast(0L, 0);
                return assertThrows(IllegalArgumentException.class,
                        () -> own.meet((partner, of) -> tables.get(partner).here(of), words)).getMessage();
            });

            assertTrue(messages.get(1).contains("rank 1 names rank 2 as its partner, which does not name it"), messages.get(1));
            assertTrue(messages.get(0).contains("rank 1 names a rank"), messages.get(0));
            assertTrue(messages.get(2).contains("rank 1 names a rank"), messages.get(2));
        }
    }

    @Test
    void shouldRefuseOnEveryRankRanksThatThereAreNot() throws Exception {
        try (PlainRanks all = new PlainRanks(2)) {
            List<String> messages = RankTasks.run(2, rank -> () -> assertThrows(IllegalArgumentException.class,
                    () -> Partners.of(rank, 2, List.of(rank * 2), all.words(rank))).getMessage());

            assertTrue(messages.get(1).contains("rank 1: no partner 2 (expected: 0..1)"), messages.get(1));
            assertTrue(messages.get(0).contains("rank 0: a rank names one that there is not"), messages.get(0));
        }
    }

    @Test
    void shouldHaveThePlacesOfRanksWhereAllArePartners() {
        Partners all = Partners.all(3);

        assertEquals(0, all.most());
        assertEquals(7, all.here(7));
        assertEquals(3, all.there(7));
        assertTrue(all.has(7));
        assertTrue(all.has(NONE), "a rank with that number");
    }

    /** The two halves of a rank's word, as the device reads them. */
    @Test
    void shouldWriteBothPlacesInAWord() {
        MemorySegment words = MemorySegment.ofArray(new int[4]);

        new Partners(1, 3, new int[] {1, 0, NONE}, new int[] {2, 0, NONE}).write(words, Integer.BYTES);

        assertEquals(0, words.getAtIndex(ValueLayout.JAVA_INT, 0));
        assertEquals(0x2_0001, words.getAtIndex(ValueLayout.JAVA_INT, 1));
        assertEquals(0, words.getAtIndex(ValueLayout.JAVA_INT, 2));
        assertEquals(-1, words.getAtIndex(ValueLayout.JAVA_INT, 3));
        assertFalse(new Partners(1, 3, new int[] {1, 0, NONE}, new int[] {2, 0, NONE}).has(2));
    }
}
