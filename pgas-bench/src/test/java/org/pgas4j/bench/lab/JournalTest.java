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

    /** Rows of programs that had fewer axes count for points with the values that these axes have by themselves. */
    @Test
    void shouldKnowRowsWithoutLaterAxes() throws IOException {
        String before = point(8).toString().replace(" requesters=1", "");
        new Journal(dir, PLAN).add(row(point(8), 0, 1).with(Row.POINT, before));
        assertTrue(new Journal(dir, PLAN).has(point(8), 0));
        assertFalse(new Journal(dir, PLAN).has(point(8).with(LabPoint.REQUESTERS, "2"), 0));
    }

    /** A point that could not be measured is tried again, and reported until it is finished. */
    @Test
    void shouldKeepWhyPointsAreLeftOut() throws IOException {
        Journal journal = new Journal(dir, PLAN);
        journal.skip(new Journal.Skip(0, point(8), "no\tblock\nhere"));
        journal.skip(new Journal.Skip(1, point(16), "late"));

        Journal again = new Journal(dir, PLAN);
        assertEquals(List.of("no block here", "late"), again.skipped().stream().map(Journal.Skip::reason).toList());
        assertFalse(again.has(point(8), 0));
        again.add(row(point(8), 0, 1));
        assertEquals(List.of(point(16)), new Journal(dir, PLAN).skipped().stream().map(Journal.Skip::point).toList());
        LabReport report = new LabReport(again.rows(), again.skipped());
        assertTrue(report.summary().endsWith(", 1 left out"), report.summary());
        assertTrue(report.markdown().contains("| get 16 B, idle, off | 1 | late |"), report.markdown());
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
        assertEquals("2 points, 1 of 1 predictions within 15 % (100 %)", report.summary());
        assertTrue(report.markdown().contains("| " + idle + " | 3 | 20.0") && report.markdown().contains("| " + busy + " | 3 | 520."),
                report.markdown());
        assertFalse(report.markdown().contains("Several requesters"), report.markdown());
    }

    /** A processor that was idle long answers later, whatever the owner does: that is in the times at the same moments. */
    @Test
    void shouldCompareWithTheIdleOwnerAtTheSameMoments() {
        LabPoint atOnce = LabPoint.parse("helper=on owner=idle");
        LabPoint idle = LabPoint.parse("helper=on owner=idle kernel_ms=100");
        LabPoint busy = LabPoint.parse("helper=on owner=spin kernel_ms=100");
        LabReport report = new LabReport(List.of(row(atOnce, 0, 20, 20, 20), row(idle, 0, 50, 50, 50), row(busy, 0, 52, 52, 52)));
        assertEquals("3 points, 1 of 1 predictions within 15 % (100 %), 1 of 1 goals met", report.summary());
        assertTrue(report.markdown().matches("(?s).*\\| " + LabReport.brief(busy) + " \\| 3 \\| 3 \\| 52\\.0.. \\| 50\\.0.. \\| 1\\.04 \\| 1\\.04 to 1\\.04 \\|.*"),
                report.markdown());
    }

    /** While the owner computes, auto is a helper that begins later: slower at such moments as that is. The program's own has no auto. */
    @Test
    void shouldTakeAutoForAHelperThatBeginsLater() {
        LabPoint auto = LabPoint.parse("helper=auto owner=spin kernel_ms=100");
        LabPoint own = LabPoint.parse("helper=own inject=copy:1");
        LabReport report = new LabReport(List.of(row(LabPoint.parse("helper=auto owner=idle"), 0, 20, 20, 20), row(auto, 0, 99, 99, 99),
                row(LabPoint.parse("helper=on owner=idle kernel_ms=100"), 0, 50, 50, 50), row(own, 0, 20, 20, 20)));
        assertEquals("4 points, 1 of 1 predictions within 15 % (100 %)", report.summary());
    }

    /** One requester takes 20 us, of which a helper starts copies for 10, as it says beside its work: three at once take 40 us. */
    @Test
    void shouldPredictSeveralRequestersFromOne() {
        LabPoint one = LabPoint.parse("helper=on owner=idle");
        LabPoint three = one.with(LabPoint.REQUESTERS, "3");
        LabPoint busy = LabPoint.parse("helper=on owner=java kernel_ms=1");
        Row idle = row(one, 0, 20, 20).with("helper_requests", 0.0);
        Row several = row(three, 0, 39, 40, 41).with(LabReport.PER_SECOND, 75_000.0).with(LabReport.FAIRNESS, 0.75)
                .with(LabReport.LOWEST_US, 39.5).with(LabReport.HIGHEST_US, 40.5).with("queue_wait_p50_us", 4.0);
        assertEquals("2 points, 0 of 0 predictions within 15 %", new LabReport(List.of(idle, several)).summary());
        Row served = row(busy, 0, 20, 20).with("helper_requests", 2.0).with("wake_up_p50_us", 10.0).with("copy_p50_us", 0.0)
                .with("completion_p50_us", 0.0);
        LabReport report = new LabReport(List.of(idle, served, several));
        assertEquals("3 points, 2 of 2 predictions within 15 % (100 %)", report.summary());
        assertTrue(report.markdown().matches("(?s).*\\| " + three + " \\| 75000 \\| 7[34][0-9]{3} \\| 0\\.750 \\| 39\\.500"
                + " \\| 40\\.500 \\| 4\\.000 \\|.*"), report.markdown());
    }
}
