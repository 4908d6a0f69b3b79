package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.Row;

class LabGoalsTest {

    private static final String BUSY = "operation=get bytes=8192 owner=spin kernel_ms=100 helper=on";

    private static Row row(String point, int repeat, double from, double to) {
        double[] us = IntStream.range(0, 101).mapToDouble(i -> from + (to - from) * i / 100).toArray();
        return JournalTest.row(LabPoint.parse(point), repeat, us);
    }

    private static LabGoals.Line only(List<Row> rows) {
        List<LabGoals.Line> lines = new LabGoals(rows).lines();
        assertEquals(1, lines.size(), lines.toString());
        return lines.getFirst();
    }

    /** Below 1.1 with the whole interval; above; and with a launch on the other side. */
    @ParameterizedTest
    @CsvSource({"102, 102.2, met", "120, 120.2, missed", "102, 120, unclear"})
    void shouldCompareGetsWithTheIdleOwner(double first, double second, String verdict) {
        List<Row> rows = List.of(row(BUSY.replace("spin", "idle"), 0, 99, 101), row(BUSY.replace("spin", "idle"), 1, 99, 101),
                row(BUSY, 0, first - 1, first + 1), row(BUSY, 1, second - 1, second + 1), row(BUSY.replace("8192", "8"), 0, 900, 901));
        LabGoals.Line line = only(rows);
        assertEquals(verdict, line.verdict(), line.toString());
        assertEquals(202, line.n());
        assertEquals(2, line.launches());
        assertTrue(line.found().low() <= first / 99.8 && line.found().high() >= second / 100.2, line.toString());
        assertTrue(new LabReport(rows).markdown().contains("| get 8192 B, spin 100 ms, on | 202 | 202 | 2 |"),
                new LabReport(rows).markdown());
    }

    /** The turn takes 110 us and the put 40 or 300: the longer with a helper, the sum without. */
    @ParameterizedTest
    @CsvSource({"on, 40, 112, met", "on, 40, 150, missed", "on, 300, 305, met", "on, 300, 410, missed", "off, 40, 152, met",
        "off, 300, 305, missed"})
    void shouldPredictAPutBesideAKernel(String helper, double putUs, double bothUs, String verdict) {
        String put = "operation=put bytes=8192 owner=idle route=messages helper=" + helper;
        String both = put.replace("put", "overlap").replace("idle", "spin kernel_ms=0.1");
        LabGoals.Line line = only(List.of(row(put, 0, putUs - 1, putUs + 1), row(both, 0, bothUs - 1, bothUs + 1)
                .with(LabReport.TURN_ALONE, 110.0)));
        assertEquals(verdict, line.verdict(), line.toString());
        assertTrue(line.goal().contains(helper.equals("on") ? "max(T_cal, T_cpy)" : "T_cal + T_cpy"), line.goal());
    }

    /** Products of 1,000 us +- 1 %, and beside requests: 1 % more is below the goal of 2 %, 4 % above. */
    @ParameterizedTest
    @CsvSource({"1010, 1009, met", "1040, 1040.5, missed", "1010, 1030, unclear"})
    void shouldCompareProducts(double first, double second, String verdict) {
        List<Row> rows = new ArrayList<>();
        for (double us : List.of(first, second)) {
            Row row = row("owner=gemm kernel_ms=10 helper=on", rows.size(), 20, 21);
            for (String name : Arrays.asList(LabReport.WORK, LabReport.WORK_ALONE)) {
                row = row.with(WorkTimes.mean(name), name.equals(LabReport.WORK) ? us : 1_000).with(WorkTimes.deviation(name), 10.0)
                        .with(WorkTimes.turns(name), 100.0);
            }
            rows.add(row);
        }
        LabGoals.Line line = only(rows);
        assertEquals(verdict, line.verdict(), line.toString());
        assertEquals(200, line.n());
        assertEquals((first + second) / 2_000, line.found().ratio(), 1e-9);
    }

    /** Launches of one side alone are no pairs, and rows without turns have no prediction. */
    @Test
    void shouldDoWithoutWhatIsMissing() {
        assertEquals(0, only(List.of(row(BUSY.replace("spin", "idle"), 0, 1, 2), row(BUSY, 1, 1, 2))).launches());
        assertEquals(List.of(), new LabGoals(List.of(row(BUSY, 0, 1, 2), row("owner=gemm kernel_ms=1", 0, 1, 2),
                row("operation=put", 0, 1, 2), row("helper=own owner=spin kernel_ms=1", 0, 1, 2), row("operation=overlap owner=spin kernel_ms=1", 0, 1, 2))).lines());
    }
}
