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
    void shouldRefuseOtherTimers() {
        BlockTimers timers = new BlockTimers(2);

        assertThrows(IndexOutOfBoundsException.class, () -> timers.sumNs(2, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> timers.intervalsNs(0, 16));
    }
}
