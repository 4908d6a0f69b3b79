package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReportsTest {

    private static final Setup SETUP = new Setup(100, "m", "m", "dense", 2, 1, "host", "an \"odd\" name\n", 1, "f64",
            "runtime");

    @Test
    void shouldPrintOneJsonObjectALineWithTheSummaryLast() {
        String[] lines = print(JsonReport::new, summary(1e-13)).split("\n");

        assertEquals("{\"iteration\": 1, \"compute_ms\": 1.0, \"communication_ms\": 1.0, \"total_ms\": 2.0, "
                + "\"gflops\": 1.0, \"rel_error\": 1.0E-13}", lines[0]);
        assertEquals("{\"n\": 100, \"a\": \"m\", \"b\": \"m\", \"ranks\": 2, \"processes\": 1, \"device\": \"host\", "
                + "\"device_name\": \"an \\\"odd\\\" name\\u000a\", \"devices\": 1, \"dtype\": \"f64\", "
                + "\"style\": \"runtime\", \"iterations\": 1, \"compute_ms\": 1.0, \"communication_ms\": 1.0, "
                + "\"total_ms\": 2.0, \"gflops\": 1.0, \"rel_error\": 1.0E-13, \"tolerance\": 1.0E-12, "
                + "\"verify\": \"full\", \"baseline_gflops\": 2.0, \"ratio\": 0.5, "
                + "\"ratio_best\": 0.25}", lines[1]);
        assertEquals(2, lines.length);
    }

    @Test
    void shouldPrintATableWithUnits() {
        String text = print(TableReport::new, summary(1e-13));

        assertTrue(text.contains("compute [ms]  communication [ms]  total [ms]    GFLOP/s  relative error"), text);
        assertTrue(text.contains("verified: relative error 1.00e-13, less than 1.0e-12"), text);
        assertTrue(text.contains("50.0 %"), text);
    }

    @Test
    void shouldCallAWrongResultWrong() {
        assertTrue(print(TableReport::new, summary(1e-3)).contains("WRONG: relative error 1.00e-03"));
        assertTrue(summary(1e-3).failed());
        assertTrue(summary(Double.NaN).failed());
        assertFalse(summary(1e-12).failed());
    }

    @Test
    void shouldEndWithCodeOneIfTheResultIsWrong() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);

        assertEquals(1, Matmul.verdict(summary(1e-3), err));
        assertEquals("matmul: the result is wrong: relative error 0.001 (expected: <= 1.0E-12)",
                bytes.toString(StandardCharsets.UTF_8).strip());
        assertEquals(0, Matmul.verdict(summary(1e-13), err));
        assertEquals(0, Matmul.verdict(null, err));
    }

    @Test
    void shouldTakeTheMedianIterationAndTheWorstError() {
        List<Iteration> measured = List.of(Iteration.of(1, 100, 1, 9, 1e-3), Iteration.of(2, 100, 1, 4, 1e-9),
                Iteration.of(3, 100, 1, 5, 1e-9));

        Summary summary = Summary.of(measured, SETUP, 1e-12, "full", LibraryRate.NONE);

        assertEquals(3, summary.median().number());
        assertEquals(1e-3, summary.relativeError());
    }

    private static Summary summary(double error) {
        return Summary.of(List.of(Iteration.of(1, 100, 1, 2, error)), SETUP, 1e-12, "full",
                new LibraryRate(2, 4));
    }

    private static String print(Function<PrintStream, Report> maker, Summary summary) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Report report = maker.apply(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        report.start(summary.setup());
        report.iteration(summary.median());
        report.end(summary);
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
