package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.SampleTimes;

/** Beside formulas of queues: one requester takes 20 us beside an idle owner, and its copy is started for 10 us of it. */
class QueueModelTest {

    private static final double SERVED_NS = 10_000;

    private static QueueModel.Prediction predict(String point, double takesNs, double startNs, double copyNs) {
        Histogram idle = SampleTimes.histogram();
        SampleTimes.record(idle, takesNs);
        return new QueueModel(TimeQuantiles.of(idle), new QueueModel.Service(startNs, copyNs), 50_000, 3).of(LabPoint.parse(point));
    }

    private static QueueModel.Prediction predict(String point, double takesNs) {
        return predict(point, takesNs, SERVED_NS, 0);
    }

    /** Copies that take no time to start, and end together if they overlap: a closed loop has as many answers at once as requesters. */
    @ParameterizedTest
    @CsvSource({"2", "8", "16"})
    void shouldAnswerTogether(int requesters) {
        QueueModel.Prediction found = predict("helper=on owner=idle requesters=" + requesters, SERVED_NS, 0, SERVED_NS);
        // pauses of 1 us on average before a request, and the last of a group comes within 2 us of the first
        assertTrue(found.medianUs() >= 10 && found.medianUs() <= 12, "median " + found.medianUs());
        assertEquals(requesters * 1e9 / (SERVED_NS + 2_000), found.perSecond(), 0.1 * found.perSecond());
    }

    /** At random, copies that overlap are answered at the end of a busy period of M/D/infinity: (e^rho - 1) / lambda from any of them. */
    @ParameterizedTest
    @CsvSource({"0.01", "0.02"})
    void shouldAnswerABusyPeriodTogether(double load) {
        QueueModel.Prediction found = predict("helper=on requesters=32 arrivals=poisson load=" + load, SERVED_NS, 0, SERVED_NS);
        double perNs = found.perSecond() / 1e9;
        double expectedUs = Math.expm1(perNs * SERVED_NS) / perNs / 1e3;
        assertEquals(expectedUs, found.meanUs(), 0.05 * expectedUs);
        assertTrue(expectedUs > 11, "no request met another: " + expectedUs);
    }

    /**
     * A closed loop whose copies take turns to start: all are answered at once, then the first comes after its own 10 us and the
     * shortest of the pauses of up to 2 us, and the others while copies are started.
     */
    @ParameterizedTest
    @CsvSource({"4", "8", "32"})
    void shouldStartOneAfterTheOther(int requesters) {
        QueueModel.Prediction found = predict("helper=on owner=idle requesters=" + requesters, 20_000);
        double roundUs = requesters * SERVED_NS / 1e3 + 10 + 2.0 / (requesters + 1);
        assertEquals(requesters * 1e6 / roundUs, found.perSecond(), 0.01 * found.perSecond());
        assertEquals(roundUs - 1, found.medianUs(), 0.5); // without the pause of a microsecond on average
    }

    @Test
    void shouldNotQueueWhereNobodyServes() {
        Histogram idle = SampleTimes.histogram();
        SampleTimes.record(idle, 20_000);
        QueueModel model = new QueueModel(TimeQuantiles.of(idle), QueueModel.Service.NONE, 50_000, 3);
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
