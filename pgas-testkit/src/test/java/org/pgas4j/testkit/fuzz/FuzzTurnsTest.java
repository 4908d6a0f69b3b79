package org.pgas4j.testkit.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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
        AtomicLong counter = new AtomicLong();
        FuzzTurns fast = new FuzzTurns(counter::getAndIncrement, 10, 0, () -> now);
        FuzzTurns slow = new FuzzTurns(counter::getAndIncrement, 10, 0, () -> now);

        assertEquals(0, fast.next());
        assertEquals(1, slow.next());
        assertEquals(List.of(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), rest(fast));
        assertEquals(List.of(), rest(slow));
        assertEquals(9, fast.done());
        assertEquals(1, slow.done());
    }

    @Test
    void shouldStopBeforeABatchThatWouldEndTooLate() {
        FuzzTurns turns = new FuzzTurns(new AtomicLong()::getAndIncrement, 100, 1000, () -> now);

        assertEquals(0, turns.next());
        now += 100;
        assertEquals(1, turns.next());
        now += 450; // the longest
        assertEquals(2, turns.next());
        now += 10;
        assertEquals(-1, turns.next()); // 560 + 450 is too much
        assertEquals(3, turns.done());
    }

    @Test
    void shouldDoTheFirstBatchInAnyCase() {
        FuzzTurns turns = new FuzzTurns(new AtomicLong(3)::getAndIncrement, 100, 1, () -> now);
        now += 5000;

        assertEquals(3, turns.next());
        assertEquals(-1, turns.next());
    }
}
