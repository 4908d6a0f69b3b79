package org.pgas4j.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Pgas;

/** Loops with stealing: every index once. */
@Timeout(60)
class StealingLoopTest {

    @ParameterizedTest
    @CsvSource({"1, 0, 1000, 7", "2, 5, 10005, 1", "3, 0, 10000, 64", "4, 100, 102, 10", "4, 3, 3, 1", "3, 0, 50000, 100000"})
    void shouldCoverEveryIndexOnce(int ranks, int from, int to, long grain) {
        AtomicIntegerArray counts = new AtomicIntegerArray(to + 1);
        Pgas.run(TaskPoolTest.config(ranks, "auto"), rank -> {
            StealingLoop.forAll(rank, from, to, grain, (first, end) -> {
                assertTrue(end - first <= grain && first < end, first + ".." + end);
                for (long i = first; i < end; i++) {
                    counts.incrementAndGet((int) i);
                }
            });
            for (int i = 0; i <= to; i++) {
                assertEquals(i >= from && i < to ? 1 : 0, counts.get(i), "index " + i + " after the loop");
            }
        });
    }

    @Test
    void shouldGiveIndicesOfASlowRankToOthers() {
        AtomicIntegerArray done = new AtomicIntegerArray(2);
        Pgas.run(TaskPoolTest.config(2, "auto"), rank -> StealingLoop.forAll(rank, 0, 400, 1, (first, _) -> {
            done.incrementAndGet(rank.rank());
            LockSupport.parkNanos(rank.rank() == 0 ? 5_000_000 : 10_000);
        }));

        assertEquals(400, done.get(0) + done.get(1));
        assertTrue(done.get(1) > 200, "rank 1 did " + done.get(1) + ", no more than its share");
    }

    @Test
    void shouldRefuseWhatIsWrong() {
        Pgas.run(TaskPoolTest.config(1, "auto"), rank -> {
            assertThrows(IllegalArgumentException.class, () -> StealingLoop.forAll(rank, 0, 1, 0, (_, _) -> { }));
            assertThrows(IllegalArgumentException.class, () -> StealingLoop.forAll(rank, 2, 1, 1, (_, _) -> { }));
            assertThrows(IllegalArgumentException.class, () -> StealingLoop.forAll(rank, -1, 1, 1, (_, _) -> { }));
        });
    }
}
