package org.pgas4j.bench.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class EffectTest {

    private static double[] around(double center, int count, SplittableRandom random) {
        return DoubleStream.generate(() -> center * (1 + 0.1 * random.nextDouble(-1, 1))).limit(count).toArray();
    }

    @Test
    void shouldTellADifferenceFromNone() {
        SplittableRandom random = new SplittableRandom(3);
        Effect slower = Effect.of(around(10, 9, random), around(13, 9, random), 1);
        assertTrue(slower.isAbove(1.05) && !slower.isBelow(1) && slower.delta() == 1, slower.toString());
        assertEquals(1.3, slower.ratio(), 0.15);
        Effect back = Effect.of(around(13, 9, random), around(10, 9, random), 1);
        assertTrue(back.isBelow(1) && back.delta() == -1, back.toString());
        double[] same = around(10, 9, random);
        Effect none = Effect.of(same, same, 1);
        assertEquals(1, none.ratio());
        assertEquals(0, none.delta());
        assertFalse(none.isAbove(1) || none.isBelow(1));
    }

    /** An interval of 95 % holds the true ratio about that often; 85 % is what small samples must not fall below. */
    @Test
    void shouldHoldTheTrueRatioAlmostAlways() {
        SplittableRandom random = new SplittableRandom(11);
        int held = 0;
        int trials = 60;
        for (int i = 0; i < trials; i++) {
            Effect effect = Effect.of(around(10, 12, random), around(12, 12, random), i);
            held += effect.low() <= 1.2 && 1.2 <= effect.high() ? 1 : 0;
        }
        assertTrue(held >= 0.85 * trials && held <= trials, held + " of " + trials);
    }

    @Test
    void shouldHaveNoIntervalOfFewLaunches() {
        Effect few = Effect.of(new double[] {1, 1, 1, 1}, new double[] {9, 9, 9, 9, 9}, 1);
        assertFalse(few.hasInterval() || few.isAbove(1) || few.isBelow(1));
        assertEquals(9, few.ratio());
        assertThrows(IllegalArgumentException.class, () -> Effect.of(new double[0], new double[1], 1));
    }

    @Test
    void shouldBeTheSameForASeed() {
        double[] some = {1, 2, 3, 4, 5, 6};
        double[] others = {2, 3, 4, 5, 6, 9};
        assertEquals(Effect.of(some, others, 4), Effect.of(some, others, 4));
    }
}
