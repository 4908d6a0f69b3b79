package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.SampleTimes;

/** Beside formulas of queues: one requester takes 20 us beside an idle owner, and is served for 10 us of it if not told otherwise. */
class QueueModelTest {

    private static final double SERVED_NS = 10_000;

    private static QueueModel.Prediction predict(String point, double takesNs) {
        Histogram idle = SampleTimes.histogram();
        SampleTimes.record(idle, takesNs);
        return new QueueModel(idle, 1e-3, SERVED_NS, 50_000, 3).of(LabPoint.parse(point));
    }

    /** M/D/1 by Pollaczek and Khinchine: mean wait rho / (2 (1 - rho)) services. */
    @ParameterizedTest
    @CsvSource({"0.1", "0.5", "0.7"})
    void shouldBeTheQueueOfManyRequestersAtRandom(double load) {
        QueueModel.Prediction found = predict("helper=on requesters=64 arrivals=poisson load=" + load, SERVED_NS);
        double expectedUs = SERVED_NS / 1e3 * (1 + load / (2 * (1 - load)));
        assertEquals(expectedUs, found.meanUs(), 0.05 * expectedUs);
        assertEquals(load * 1e9 / SERVED_NS, found.perSecond(), 0.03 * load * 1e9 / SERVED_NS);
    }

    /** A closed loop with more requesters than the one who serves can keep up with: each waits for all others. */
    @ParameterizedTest
    @CsvSource({"4, 40", "8, 80", "32, 320"})
    void shouldSaturate(int requesters, double us) {
        QueueModel.Prediction found = predict("helper=on owner=idle requesters=" + requesters, 20_000);
        assertEquals(1e9 / SERVED_NS, found.perSecond(), 0.02 * 1e9 / SERVED_NS);
        assertEquals(us, found.medianUs() + 1, 1.5); // without the pause of a microsecond on average
    }

    @Test
    void shouldNotQueueWhereNobodyServes() {
        Histogram idle = SampleTimes.histogram();
        SampleTimes.record(idle, 20_000);
        QueueModel model = new QueueModel(idle, 1e-3, 0, 50_000, 3);
        QueueModel.Prediction found = model.of(LabPoint.parse("helper=on owner=idle requesters=16"));
        assertEquals(20, found.medianUs(), 0.1);
        assertEquals(16 / 21e-6, found.perSecond(), 0.02 * 16 / 21e-6);
    }

    /** Without a helper all requests of a turn are served at its end, one after the other; a helper does not wait for it. */
    @Test
    void shouldServeAtTheEndOfATurn() {
        String point = "owner=spin kernel_ms=1 requesters=4 helper=";
        double off = predict(point + "off", 20_000).medianUs();
        double on = predict(point + "on", 20_000).medianUs();
        double auto = predict(point + "auto", 20_000).medianUs();
        assertTrue(off > 500 && off < 600, "off " + off);
        assertEquals(20, on, 3);
        assertEquals(70, auto, 7);
    }
}
