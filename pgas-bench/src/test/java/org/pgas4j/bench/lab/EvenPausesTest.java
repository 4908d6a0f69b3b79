package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EvenPausesTest {

    private static final long MAX_NS = 100_000_000;

    /** Ten requests to an owner in turns of 100 ms: their median is the half of a turn wherever the first one falls. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
    void shouldFillTheRangeWithFew(long seed) {
        EvenPauses pauses = new EvenPauses(MAX_NS, new SplittableRandom(seed));
        long[] ten = new long[10];
        Arrays.setAll(ten, _ -> pauses.nextNs());
        Arrays.sort(ten);
        assertTrue(ten[0] >= 0 && ten[9] < MAX_NS, Arrays.toString(ten));
        assertEquals(MAX_NS / 2.0, (ten[4] + ten[5]) / 2.0, 0.1 * MAX_NS, Arrays.toString(ten));
        for (int i = 0; i < 5; i++) {
            assertEquals(MAX_NS * (i + 0.5) / 5, (ten[2 * i] + ten[2 * i + 1]) / 2.0, 0.11 * MAX_NS, Arrays.toString(ten));
        }
    }

    /** No pattern that an owner could keep step with: one after a short pause, the next may be long or short. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldHaveNoPeriod(long seed) {
        EvenPauses pauses = new EvenPauses(MAX_NS, new SplittableRandom(seed));
        long[] all = new long[10_000];
        Arrays.setAll(all, _ -> pauses.nextNs());
        assertEquals(all.length, Arrays.stream(all).distinct().count());
    }
}
