package org.pgas4j.bench.study;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SettledTimesTest {

    /** Windows until times that fall by a share each have settled, with noise and now and then a window that is disturbed. */
    private static int windows(double falling, double to) {
        SplittableRandom random = new SplittableRandom(2);
        SettledTimes warmUp = new SettledTimes();
        double mean = 100;
        for (int windows = 1; windows <= 10_000; windows++) {
            mean = Math.max(to, mean * falling);
            warmUp.add(mean * (1 + 0.005 * random.nextDouble()) * (windows % 7 == 0 ? 5 : 1));
            if (warmUp.isSettled()) {
                assertTrue(mean <= 1.05 * to, "settled at " + mean);
                return windows;
            }
        }
        return 0;
    }

    @Test
    void shouldSettleWhenTimesNoLongerFall() {
        assertEquals(16, windows(1, 100));
        int slow = windows(0.98, 10);
        int quick = windows(0.9, 10);
        assertTrue(quick > 16 && slow > quick, quick + ", " + slow);
    }

    @Test
    void shouldNotSettleWhileTimesFall() {
        SettledTimes warmUp = new SettledTimes();
        for (double mean = 1e9; mean > 1; mean *= 0.97) {
            warmUp.add(mean);
            assertFalse(warmUp.isSettled(), "at " + mean);
        }
    }

    @Test
    void shouldWarmUpAsLongAsAsked() {
        assertEquals(300, Measuring.DEFAULT.leastWarmUpNs(300));
        assertEquals(300, Measuring.DEFAULT.mostWarmUpNs(300));
        assertEquals(7, new Measuring(7, 0, 1).mostWarmUpNs(300));
        assertTrue(new Measuring(Measuring.DETECTED, 0, 1).mostWarmUpNs(300) > 300);
    }
}
