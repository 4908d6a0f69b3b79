package org.pgas4j.bench.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

class LabTablesTest {

    private static Row row(String helper, String to, double us, int requesters) {
        return row(1, helper, to, us, requesters);
    }

    private static Row row(int processes, String helper, String to, double us, int requesters) {
        SampleTimes times = new SampleTimes(us, us, us, us, us, 20_000, 1);
        return new Row("lab", "get", "device", to, "fastpath", processes, 8192, times, Double.NaN, 0, Map.of()).with(Row.HELPER, helper)
                .with(Row.SETTING, helper.equals("resident") ? "route=resident" : "route=fastpath").with(LabPoint.OWNER, "gemm")
                .with(Row.KERNEL_MS, 10.0).with(LabPoint.ARRIVALS, "closed").with(LabPoint.LOAD, 0.0).with(LabPoint.INJECT, "none")
                .with(LabPoint.REQUESTERS, requesters).with(LabReport.PER_SECOND, 1e4 * requesters)
                .with(LabReport.WORK_SLOW_DOWN, us / 20);
    }

    /** Numbers of requesters come in order, 16 behind 2. */
    @Test
    void shouldSortColumnsOfNumbersAsNumbers() {
        List<Row> rows = new ArrayList<>();
        for (int requesters : new int[] {16, 2, 1, 8}) {
            rows.add(row("on", "device", 20, requesters));
        }
        assertEquals("| operation | owner | helper | a second by 1 | a second by 2 | a second by 8 | a second by 16 |",
                Tables.of("lab-requesters", rows).markdown().lines().findFirst().orElseThrow());
    }

    /** Requests to host memory and to a device stand apart; the resident block is beside the helper that does the same. */
    @Test
    void shouldCompareAResidentBlockWithAHelper() {
        List<Row> rows = List.of(row("on", "device", 20, 1), row("on", "host", 18, 1), row("resident", "host", 5, 1));
        String medians = Tables.of("lab", rows).markdown();
        assertTrue(medians.contains("| us, helper on | us, helper resident |"), medians);
        assertTrue(medians.contains("| get | 8 KiB | gemm 10 ms | 20.0 | - |"), medians);
        assertTrue(medians.contains("| get | 8 KiB, host | gemm 10 ms | 18.0 | 5.0 |"), medians);
        List<Row> opened = rows.stream().map(row -> row.with(LabPoint.ARRIVALS, "poisson").with(LabPoint.LOAD, 0.3)).toList();
        assertTrue(Tables.of("lab-open", opened).markdown().contains("| poisson | gemm 10 ms | on, host | 18.0 |"), medians);
        String slowDowns = Tables.of("lab-slow-down", rows).markdown();
        assertTrue(slowDowns.contains("| get | 8 KiB, host | gemm 10 ms | 0.900 | 0.250 |"), slowDowns);
    }

    /** The same with a JVM for each rank and in one stand apart; of rates those alone that several requesters had as well. */
    @Test
    void shouldKeepOneJvmApart() {
        List<Row> rows = List.of(row(2, "on", "device", 20, 1), row(1, "on", "device", 18, 1), row(1, "on", "device", 30, 4));
        String medians = Tables.of("lab", rows).markdown();
        assertTrue(medians.contains("| get | 8 KiB | gemm 10 ms | 20.0 |"), medians);
        assertTrue(medians.contains("| get | 8 KiB, one JVM | gemm 10 ms | 18.0 |"), medians);
        assertEquals("| get of 8 KiB | gemm 10 ms | on | 10000 | 40000 |",
                Tables.of("lab-requesters", rows).markdown().lines().skip(2).findFirst().orElseThrow());
    }

    /** Counts of right predictions by helper: of the points that calibrate there are none. */
    @Test
    void shouldCountRightPredictions() {
        List<Row> rows = List.of(point("helper=off owner=idle", 20), point("helper=off owner=spin kernel_ms=1", 530),
                point("helper=on owner=idle", 20), point("helper=on owner=spin kernel_ms=1", 30),
                point("helper=on owner=idle arrivals=fixed load=0.5", 20));
        assertEquals("""
                | requests | within 15 %, helper off | within 15 %, helper on | within 15 %, all |
                | --- | --- | --- | --- |
                | closed loop | 1 of 1 | 0 of 1 | 1 of 2 |
                | open loop | - | 1 of 1 | 1 of 1 |
                | all | 1 of 1 | 1 of 2 | 2 of 3 |
                """, Tables.of("lab-model", rows).markdown());
    }

    /** A launch agrees with the median of the others of its point; a point of one launch says nothing. */
    @Test
    void shouldCountLaunchesThatAgree() {
        List<Row> rows = List.of(point("helper=on owner=idle", 20).with(Row.REPEAT, 0),
                point("helper=on owner=idle", 22).with(Row.REPEAT, 1), point("helper=on owner=idle", 30).with(Row.REPEAT, 2),
                point("helper=off owner=idle kernel_ms=10", 20).with(Row.REPEAT, 0),
                point("helper=off owner=idle kernel_ms=10", 21).with(Row.REPEAT, 1), point("helper=auto owner=idle", 20));
        assertEquals("""
                | owner's turn, ms | within 15 %, helper off | within 15 %, helper on | within 15 %, all |
                | --- | --- | --- | --- |
                | 0 | - | 1 of 3 | 1 of 3 |
                | 10 | 2 of 2 | - | 2 of 2 |
                | all | 2 of 2 | 1 of 3 | 3 of 5 |
                """, Tables.of("lab-repeats", rows).markdown());
    }

    private static Row point(String text, double us) {
        LabPoint point = LabPoint.parse(text);
        return row(point.text(LabPoint.HELPER), "device", us, 1).with(Row.POINT, point.toString());
    }
}
