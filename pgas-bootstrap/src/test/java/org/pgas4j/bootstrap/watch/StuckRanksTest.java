package org.pgas4j.bootstrap.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.bootstrap.Phase;

/** Ranks 4 and 5 under a clock that the test moves. */
@Timeout(10)
class StuckRanksTest {

    private static final long LIMIT = 1000;

    private final StatusBoard board = StatusBoard.local(4, 6);
    private final StuckRanks ranks = new StuckRanks(board, 4, 6, LIMIT);
    private final Activity first = board.activity(4);
    private final Activity second = board.activity(5);

    @Test
    void shouldFindARankThatStaysInAnOperation() {
        second.enter(Phase.TRANSFER);
        assertNull(ranks.find(50));
        assertNull(ranks.find(50 + LIMIT));

        StuckRanks.Stuck stuck = ranks.find(51 + LIMIT);

        assertEquals(5, stuck.rank());
        assertEquals(LIMIT + 1, stuck.waitedNs());
        assertEquals(Phase.TRANSFER, stuck.status().phase());
    }

    @Test
    void shouldCountFromItsLastProgress() {
        for (long now = 0; now <= 20 * LIMIT; now += LIMIT / 2) {
            if (first.look().isInside()) {
                first.leave();
            }
            first.enter(Phase.BARRIER); // the same phase, another operation
            assertNull(ranks.find(now));
        }

        assertNull(ranks.find(21 * LIMIT));
        assertNotNull(ranks.find(21 * LIMIT + 1));
    }

    @Test
    void shouldTakeItsTimeFromTheFirstLook() {
        first.enter(Phase.BARRIER);

        assertNull(ranks.find(Long.MAX_VALUE - 5));
        assertNull(ranks.find(Long.MIN_VALUE + LIMIT - 6)); // the clock has wrapped around
        assertNotNull(ranks.find(Long.MIN_VALUE + LIMIT - 4));
    }

    @Test
    void shouldLeaveProgramsAlone() {
        first.set(Phase.PROGRAM);
        second.enter(Phase.BARRIER);
        second.leave();
        assertNull(ranks.find(0));
        assertNull(ranks.find(100 * LIMIT));
    }

    @Test
    void shouldLeaveARankAloneThatHasEndedOrFailed() {
        first.enter(Phase.END);
        second.enter(Phase.BARRIER);
        second.failed(new IllegalStateException());
        assertNull(ranks.find(0));
        assertNull(ranks.find(100 * LIMIT));
    }

    @Test
    void shouldGiveAWaitTheTimeOfItsDeadline() {
        first.enter(Phase.NOTIFICATION);
        first.waits(10 * LIMIT, System.nanoTime());
        assertNull(ranks.find(0));
        assertNull(ranks.find(10 * LIMIT + LIMIT / 2));

        assertNotNull(ranks.find(10 * LIMIT + LIMIT / 2 + 1));
    }

    @Test
    void shouldGiveAWaitWithAShortDeadlineTheLimit() {
        first.enter(Phase.NOTIFICATION);
        first.waits(1, System.nanoTime());
        assertNull(ranks.find(0));
        assertNull(ranks.find(LIMIT));

        assertNotNull(ranks.find(LIMIT + 1));
    }

    @Test
    void shouldWatchEachRankByItself() {
        first.enter(Phase.BARRIER);
        assertNull(ranks.find(0));
        second.enter(Phase.BARRIER);
        assertNull(ranks.find(LIMIT));
        first.leave();

        assertNull(ranks.find(2 * LIMIT));
        StuckRanks.Stuck stuck = ranks.find(2 * LIMIT + 1);

        assertEquals(5, stuck.rank());
        assertTrue(stuck.status().isInside());
    }
}
