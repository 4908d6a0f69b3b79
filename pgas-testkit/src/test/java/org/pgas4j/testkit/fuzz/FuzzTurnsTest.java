package org.pgas4j.testkit.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FuzzTurnsTest {

    private long now = 1000;

    private static List<Long> rest(FuzzTurns turns) {
        List<Long> given = new ArrayList<>();
        for (long batch = turns.next(); batch >= 0; batch = turns.next()) {
            given.add(batch);
        }
        return given;
    }

    @Test
    void shouldDivideAllBatchesAmongTheRanks() {
        List<Long> all = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            FuzzTurns turns = new FuzzTurns(rank, 4, 10, 0, () -> now);
            assertEquals(rank < 2 ? 3 : 2, turns.all());
            all.addAll(rest(turns));
            assertEquals(rank < 2 ? 3 : 2, turns.done());
        }

        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), all.stream().sorted().toList());
    }

    @Test
    void shouldGiveNoneToARankTooMany() {
        FuzzTurns turns = new FuzzTurns(7, 8, 7, 0, () -> now);

        assertEquals(0, turns.all());
        assertEquals(List.of(), rest(turns));
    }

    @Test
    void shouldStopBeforeABatchThatWouldEndTooLate() {
        FuzzTurns turns = new FuzzTurns(0, 1, 100, 1000, () -> now);

        assertEquals(0, turns.next());
        now += 100;
        assertEquals(1, turns.next());
        now += 450; // the longest
        assertEquals(2, turns.next());
        now += 10;
        assertEquals(-1, turns.next()); // 560 + 450 is too much
        assertEquals(3, turns.done());
        assertEquals(100, turns.all());
    }

    @Test
    void shouldDoTheFirstBatchInAnyCase() {
        FuzzTurns turns = new FuzzTurns(3, 4, 100, 1, () -> now);
        now += 5000;

        assertEquals(3, turns.next());
        assertEquals(-1, turns.next());
    }
}
