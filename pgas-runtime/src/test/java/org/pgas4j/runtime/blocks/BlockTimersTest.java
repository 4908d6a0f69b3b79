package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sums and last intervals of timers. */
class BlockTimersTest {

    @Test
    void shouldKeepTheLastIntervals() {
        BlockTimers timers = new BlockTimers(2);
        for (int i = 1; i <= 300; i++) {
            timers.start(1, 15, 1000L * i);
            timers.stop(1, 15, 1000L * i + i);
        }

        assertEquals(300 * 301 / 2, timers.sumNs(1, 15));
        assertArrayEquals(LongStream.rangeClosed(45, 300).toArray(), timers.intervalsNs(1, 15));
        assertArrayEquals(new long[0], timers.intervalsNs(1, 14));
        assertEquals(0, timers.sumNs(0, 15));
    }

    @Test
    void shouldMeasureNothingIfATimerDoesNotRun() {
        BlockTimers timers = new BlockTimers(1);
        timers.stop(0, 3, 1_000_000);
        timers.start(0, 3, 2_000_000);
        timers.stop(0, 3, 2_000_010);
        timers.stop(0, 3, 2_000_100);

        assertEquals(10, timers.sumNs(0, 3));
        assertArrayEquals(new long[] {10}, timers.intervalsNs(0, 3));
    }

    @Test
    void shouldRefuseOtherTimers() {
        BlockTimers timers = new BlockTimers(2);

        assertThrows(IndexOutOfBoundsException.class, () -> timers.sumNs(2, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> timers.intervalsNs(0, 16));
    }
}
