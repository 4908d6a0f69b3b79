package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

class RatioTest {

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
            Ratio found = Ratio.ofMedians(times(random, 200, 30_000), times(random, 300, 10_000));
            held += found.low() <= 3 && found.high() >= 3 ? 1 : 0;
            width += (found.high() - found.low()) / 400;
            assertTrue(found.low() <= found.ratio() && found.ratio() <= found.high(), found.toString());
        }
        assertTrue(held >= 370, held + " of 400");
        assertTrue(width < 3, "mean width " + width);
    }

    @Test
    void shouldSpanFewValues() {
        Histogram one = SampleTimes.histogram();
        SampleTimes.record(one, 1_000);
        SampleTimes.record(one, 4_000);
        Histogram other = SampleTimes.histogram();
        SampleTimes.record(other, 2_000);

        Ratio found = Ratio.ofMedians(one, other);

        assertEquals(0.5, found.low(), 0.01);
        assertEquals(2, found.high(), 0.01);
        assertThrows(IllegalArgumentException.class, () -> Ratio.ofMedians(one, SampleTimes.histogram()));
    }

    /** The median of 101 times from 50 to 150 us lies between those 10 from the middle; launches that differ more widen that, few most of all. */
    @Test
    void shouldCompareAMedianWithATime() {
        Histogram times = SampleTimes.histogram();
        for (int us = 50; us <= 150; us++) {
            SampleTimes.record(times, us * 1e3);
        }
        Ratio ratio = Ratio.ofMedian(times, 50);
        assertEquals(2, ratio.ratio(), 0.03);
        assertEquals(1.8, ratio.low(), 0.03);
        assertEquals(2.2, ratio.high(), 0.03);
        assertEquals(ratio, ratio.widened(List.of(ratio)));
        assertEquals(ratio, ratio.widened(List.of(ratio, ratio, ratio)));
        Ratio other = new Ratio(2.4, 2.39, 2.41);
        Ratio five = ratio.widened(List.of(ratio, other, ratio, other, ratio));
        Ratio two = ratio.widened(List.of(ratio, other));
        assertTrue(five.high() > 1.02 * ratio.high() && five.high() < 2.5 && two.high() > 4, five + ", " + two);
    }

    /** 100 turns of 1 +- 0.1 us and as many of 1.02 +- 0.1: the interval of the ratio is 1.02 +- 0.028. */
    @Test
    void shouldCompareMeansOfTurns() {
        WorkTimes alone = new WorkTimes("alone");
        WorkTimes beside = new WorkTimes("beside");
        for (int i = 0; i < 100; i++) {
            double of = i % 2 == 0 ? 900 : 1_100;
            alone.add(3 * of, 3);
            beside.add(2 * (of + 20), 2);
        }
        Row row = JournalTest.row(LabPoint.parse("owner=gemm kernel_ms=1"), 0, 1);
        for (WorkTimes times : List.of(alone, beside)) {
            for (Map.Entry<String, Double> column : times.columns().entrySet()) {
                row = row.with(column.getKey(), column.getValue());
            }
        }
        assertEquals(0.1005, row.number("alone_sd_us"), 0.0001);
        Ratio ratio = Ratio.ofMeans(row, "beside", "alone");
        assertEquals(1.02, ratio.ratio(), 1e-6);
        assertEquals(0.028, (ratio.high() - ratio.low()) / 2, 0.001);
        assertTrue(Double.isNaN(Ratio.ofMeans(row, "work", "alone").ratio()));
    }
}
