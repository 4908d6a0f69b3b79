package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.pgas4j.bench.result.SampleTimes;

class MedianRatioTest {

    private static Histogram times(SplittableRandom random, int count, double scale) {
        Histogram times = SampleTimes.histogram();
        for (int i = 0; i < count; i++) {
            SampleTimes.record(times, scale * -Math.log(1 - random.nextDouble()));
        }
        return times;
    }

    /** Of 400 pairs of samples of two exponential distributions the interval misses the true ratio of 3 in 5 % at most. */
    @Test
    void shouldHoldTheTrueRatioMostOfTheTime() {
        SplittableRandom random = new SplittableRandom(5);
        int held = 0;
        double width = 0;
        for (int i = 0; i < 400; i++) {
            MedianRatio found = MedianRatio.of(times(random, 200, 30_000), times(random, 300, 10_000));
            held += found.low() <= 3 && found.high() >= 3 ? 1 : 0;
            width += (found.high() - found.low()) / 400;
            assertTrue(found.low() <= found.ratio() && found.ratio() <= found.high(), found.toString());
        }
        assertTrue(held >= 380, held + " of 400");
        assertTrue(width < 3, "mean width " + width);
    }

    @Test
    void shouldSpanFewValues() {
        Histogram one = SampleTimes.histogram();
        SampleTimes.record(one, 1_000);
        SampleTimes.record(one, 4_000);
        Histogram other = SampleTimes.histogram();
        SampleTimes.record(other, 2_000);

        MedianRatio found = MedianRatio.of(one, other);

        assertEquals(0.5, found.low(), 0.01);
        assertEquals(2, found.high(), 0.01);
        assertThrows(IllegalArgumentException.class, () -> MedianRatio.of(one, SampleTimes.histogram()));
    }
}
