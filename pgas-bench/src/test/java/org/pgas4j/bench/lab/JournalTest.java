package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.UsageException;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

class JournalTest {

    private static final String PLAN = "{\"experiments\": [{}]}";

    @TempDir
    private Path dir;

    private static LabPoint point(int bytes) {
        return LabPoint.of(Map.of(LabPoint.BYTES, Integer.toString(bytes)));
    }

    static Row row(LabPoint point, int repeat, double... us) {
        Histogram times = SampleTimes.histogram();
        for (double each : us) {
            SampleTimes.record(times, each * 1e3);
        }
        return new Row("lab", point.text(LabPoint.OPERATION), "device", "device", "fastpath", 2, 8, SampleTimes.of(times, 1), Double.NaN, 0,
                Map.of()).with(Row.POINT, point.toString()).with(Row.REPEAT, repeat);
    }

    @Test
    void shouldGoOnAfterWhatIsFinished() throws IOException {
        Journal journal = new Journal(dir, PLAN);
        journal.add(row(point(8), 0, 1));
        journal.add(row(point(16), 1, 2));
        Files.writeString(dir.resolve("journal.jsonl"), row(point(32), 0, 1).json().substring(0, 70), StandardOpenOption.APPEND);

        Journal again = new Journal(dir, PLAN);

        assertTrue(again.has(point(8), 0) && again.has(point(16), 1));
        assertFalse(again.has(point(8), 1) || again.has(point(32), 0));
        again.add(row(point(32), 0, 3));
        assertEquals(again.rows(), new Journal(dir, PLAN).rows());
        assertEquals(3, again.rows().size());
    }

    @Test
    void shouldRefuseAnotherPlan() throws IOException {
        new Journal(dir, PLAN);
        assertThrows(UsageException.class, () -> new Journal(dir, PLAN + " "));
    }

    /** Samples of repeats are merged, and a prediction is one of another owner's state. */
    @Test
    void shouldReportMedianAndPrediction() {
        LabPoint idle = LabPoint.parse("helper=off owner=idle");
        LabPoint busy = LabPoint.parse("helper=off owner=spin kernel_ms=1");
        LabReport report = new LabReport(List.of(row(idle, 0, 20, 20), row(idle, 1, 20), row(busy, 0, 520, 530),
                row(busy, 1, 510)));
        assertEquals("2 points, 1 of 1 predictions within 15 %", report.summary());
        assertTrue(report.markdown().contains("| " + idle + " | 3 | 20.0") && report.markdown().contains("| " + busy + " | 3 | 520."),
                report.markdown());
    }
}
