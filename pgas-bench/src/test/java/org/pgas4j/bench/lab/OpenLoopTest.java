package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.SampleTimes;

/** Queues on a clock that only waiting and serving move. */
class OpenLoopTest {

    private static final double SERVICE_NS = 10_000;
    private static final int COUNT = 200_000;

    private long nowNs;

    private OpenLoop queue(double load, boolean poisson, LongSupplier serviceNs) {
        return OpenLoop.run(COUNT, SERVICE_NS / load, poisson, 7, () -> nowNs, due -> nowNs = due,
                () -> nowNs += serviceNs.getAsLong());
    }

    private static double mean(OpenLoop loop) {
        Histogram times = SampleTimes.histogram();
        for (int i = 0; i < loop.count(); i++) {
            SampleTimes.record(times, loop.latencyNs(i));
        }
        return times.getMean() / 1e3;
    }

    /** M/D/1 by Pollaczek and Khinchine: mean wait rho / (2 (1 - rho)) services; and Little's law within 2 %. */
    @ParameterizedTest
    @CsvSource({"0.1", "0.5", "0.8"})
    void shouldHaveTheMeanAndTheNumberOfAQueue(double load) {
        OpenLoop loop = queue(load, true, () -> (long) SERVICE_NS);
        double expected = SERVICE_NS * (1 + load / (2 * (1 - load)));
        assertEquals(expected, mean(loop), 0.05 * expected);
        assertEquals(1, loop.littleRatio(mean(loop)), 0.02);
    }

    @Test
    void shouldHoldLittlesLawWithServicesThatDiffer() {
        SplittableRandom random = new SplittableRandom(3);
        OpenLoop loop = queue(0.7, false, () -> random.nextInt(100) == 0 ? 300_000 : 7_000);
        assertEquals(1, loop.littleRatio(mean(loop)), 0.02);
    }

    /** A closed loop's latencies leave out the wait for the requester: the law says so. */
    @Test
    void shouldBreakLittlesLawWhereWaitsAreLeftOut() {
        OpenLoop loop = queue(0.8, true, () -> (long) SERVICE_NS);
        assertTrue(loop.littleRatio(SERVICE_NS) < 0.5, "ratio " + loop.littleRatio(SERVICE_NS));
    }

    /** Requests behind one that takes long are late by what is left of it. */
    @Test
    void shouldCountFromWhenARequestWasDue() {
        long[] calls = new long[1];
        OpenLoop loop = queue(0.5, false, () -> calls[0]++ == 100 ? 1_000_000 : 1_000);
        assertEquals(1_000, loop.latencyNs(99));
        assertEquals(1_000_000, loop.latencyNs(100));
        assertEquals(1_000_000 - 20_000 + 1_000, loop.latencyNs(101));
        assertEquals(1_000_000 - 40_000 + 2_000, loop.latencyNs(102));
    }

    @Test
    void shouldKeepTheRate() {
        long[] even = OpenLoop.gaps(COUNT, 500, false, 1);
        assertEquals(500, Arrays.stream(even).max().orElseThrow());
        long[] random = OpenLoop.gaps(COUNT, 500, true, 1);
        double mean = Arrays.stream(random).average().orElseThrow();
        double variance = Arrays.stream(random).mapToDouble(gap -> (gap - mean) * (gap - mean)).average().orElseThrow();
        assertEquals(500, mean, 10);
        assertEquals(500, Math.sqrt(variance), 15);
    }
}
