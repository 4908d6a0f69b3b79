package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.SampleTimes;

class MedianModelTest {

    private static final String POINT = "operation=%s owner=%s kernel_ms=%s helper=%s";

    /** An operation takes 18 to 22 us beside an idle owner. */
    private static MedianModel model() {
        Histogram idle = SampleTimes.histogram();
        SplittableRandom random = new SplittableRandom(9);
        for (int i = 0; i < 10_000; i++) {
            SampleTimes.record(idle, 18_000 + random.nextDouble(4_000));
        }
        return new MedianModel(TimeQuantiles.of(idle), 50_000, 2);
    }

    private static double predicted(String operation, String owner, String ms, String helper) {
        return model().medianUs(LabPoint.parse(POINT.formatted(operation, owner, ms, helper)), 10_000);
    }

    /** The median of ten moments that are spread evenly over a kernel is the fifth: less than half of the kernel is left then. */
    @Test
    void shouldTakeAsManyRequestsAsThePointHad() {
        LabPoint point = LabPoint.parse(POINT.formatted("get", "spin", "100", "off"));
        assertEquals(45_020, model().medianUs(point, 10), 1_000);
        assertEquals(50_020, model().medianUs(point, 1_000), 500);
    }

    /** A helper that parks for 20 us, which takes 50 us more, sees a request 35 us late; the owner may be back before. */
    @ParameterizedTest
    @CsvSource({"on, 1, 55", "on, 0.01, 25", "auto, 1, 72"})
    void shouldWaitForAHelperThatParks(String helper, String ms, double us) {
        LabPoint point = LabPoint.parse(POINT.formatted("get", "spin", ms, helper) + " pgas.helper.wait=park");
        assertEquals(us, model().medianUs(point, 10_000), 0.05 * us);
    }

    /** Without a helper a request waits for half of the kernel, with auto for the threshold, with one not at all. */
    @ParameterizedTest
    @CsvSource({"off, 1, 520", "off, 100, 50020", "auto, 1, 70", "auto, 0.02, 30", "on, 100, 20"})
    void shouldWaitForTheOwnerAsTheHelperSays(String helper, String ms, double us) {
        assertEquals(us, predicted("get", "spin", ms, helper), 0.02 * us);
    }

    /** A turn is longer than the point says by the start of its kernel. */
    @Test
    void shouldTakeTurnsAsLongAsTheyAre() {
        assertEquals(80, model().medianUs(LabPoint.parse(POINT.formatted("get", "spin", "0.1", "off")), 10_000, 120_000), 10);
        assertEquals(120, model().medianUs(LabPoint.parse(POINT.formatted("overlap", "spin", "0.1", "on")), 10_000, 120_000), 1);
    }

    /** The paper's claim: calculation and copy take their sum without a helper, and the longer of both with one. */
    @Test
    void shouldTakeTheSumOrTheLonger() {
        assertEquals(1_020, predicted("overlap", "spin", "1", "off"), 10);
        assertEquals(1_000, predicted("overlap", "spin", "1", "on"), 1);
        assertEquals(20, predicted("overlap", "spin", "0.001", "on"), 0.5);
    }

    /** Beside a queue that is run on a clock of its own, with the same times of service. */
    @ParameterizedTest
    @CsvSource({"poisson, 0.5", "poisson, 0.9", "fixed, 0.9"})
    void shouldPredictAQueuesMedian(String arrivals, double load) {
        LabPoint point = LabPoint.parse("owner=idle helper=on arrivals=" + arrivals + " load=" + load);
        double gapNs = 20_000 / load;
        long[] nowNs = new long[1];
        SplittableRandom random = new SplittableRandom(31);
        OpenLoop loop = OpenLoop.run(100_000, gapNs, arrivals.equals("poisson"), 77, () -> nowNs[0], due -> nowNs[0] = due,
                () -> nowNs[0] += 18_000 + random.nextLong(4_000));
        double[] times = new double[loop.count()];
        Arrays.setAll(times, i -> loop.latencyNs(i) / 1e3);
        Arrays.sort(times);
        double median = times[times.length / 2];
        assertEquals(median, model().medianUs(point, 10_000), LabPredictions.TOLERANCE * median);
        assertTrue(arrivals.equals("fixed") || median > 21, "no queue: " + median);
    }
}
