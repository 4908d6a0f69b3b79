package org.pgas4j.fastpath.conduit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RankTableTest {

    @Test
    void shouldAgreeWithAMapOfTheSame() {
        int ranks = 1_000_000;
        RankTable<Integer> table = new RankTable<>(ranks);
        Map<Integer, Integer> map = new HashMap<>();
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            // Few and many different ranks, and the strides of trees.
            int rank = i % 3 == 0 ? random.nextInt(ranks) : i % 3 == 1 ? random.nextInt(500) : 1 << random.nextInt(19);
            assertSame(map.get(rank), table.get(rank));
            Integer value = Integer.valueOf(i);
            table.put(rank, value);
            map.put(rank, value);
            assertSame(value, table.get(rank));
            if (i % 50 == 0) { // others may lie behind it
                int gone = i % 100 == 0 ? rank : random.nextInt(500);
                table.remove(gone);
                map.remove(gone);
                assertNull(table.get(gone));
            }
        }
        assertEquals(map.size(), table.size());
        map.forEach((rank, value) -> assertSame(value, table.get(rank)));
    }

    @Test
    void shouldHoldAllRanks() {
        RankTable<String> table = new RankTable<>(4096);
        for (int rank = 0; rank < 4096; rank++) {
            assertNull(table.get(rank));
            table.put(rank, "rank " + rank);
        }
        for (int rank = 0; rank < 4096; rank++) {
            assertEquals("rank " + rank, table.get(rank));
        }
    }

    @Test
    void shouldRefuseRanksThatTheJobHasNot() {
        RankTable<String> table = new RankTable<>(4);
        for (int rank : new int[] {-1, 4, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertTrue(assertThrows(IndexOutOfBoundsException.class, () -> table.get(rank)).getMessage()
                    .contains("rank=" + rank + " ranks=4"));
            assertThrows(IndexOutOfBoundsException.class, () -> table.put(rank, "nobody"));
        }
        assertThrows(NullPointerException.class, () -> table.put(1, null));
    }
}
