package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.pgas4j.bench.result.SampleTimes;

class TimeQuantilesTest {

    private static Histogram times(int count) {
        Histogram times = SampleTimes.histogram();
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < count; i++) {
            SampleTimes.record(times, 20_000 - 3_000 * Math.log(1 - random.nextDouble()));
        }
        return times;
    }

    /** A summary gives a distribution with its median and mean, with or without the far percentiles. */
    @Test
    void shouldKeepMedianAndMeanOfASummary() {
        for (int count : new int[] {20_000, 2_000, 200}) {
            SampleTimes summary = SampleTimes.of(times(count), 1);
            TimeQuantiles quantiles = TimeQuantiles.of(summary);
            assertEquals(summary.p50() * 1e3, quantiles.medianNs(), 20);
            assertEquals(summary.mean() * 1e3, quantiles.meanNs(), 20, count + " times");
        }
    }

    @Test
    void shouldHaveTheTimesOfAHistogram() {
        Histogram times = times(20_000);
        TimeQuantiles quantiles = TimeQuantiles.of(times);
        assertEquals(times.getValueAtPercentile(50) / 1e3, quantiles.medianNs(), 20);
        assertEquals(times.getMean() / 1e3, quantiles.meanNs(), 30);
    }

    /** One time is the distribution. */
    @Test
    void shouldTakeASingleTime() {
        TimeQuantiles quantiles = TimeQuantiles.of(new SampleTimes(5, 5, 5, 5, 5, 1, 1));
        assertEquals(5_000, quantiles.meanNs(), 1e-6);
        assertEquals(5_000, quantiles.drawNs(new SplittableRandom(1)), 1e-6);
    }
}
