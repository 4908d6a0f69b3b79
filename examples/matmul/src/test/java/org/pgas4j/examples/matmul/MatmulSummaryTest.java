package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.examples.matmul.MatmulSummary.Iteration;

class MatmulSummaryTest {

    @Test
    void shouldTakeTheMedianProductAndTheWorstError() {
        MatmulSummary summary = new MatmulSummary(List.of(new Iteration(1, 100, 1, 8, 1e-3), new Iteration(2, 100, 1, 4, 1e-9),
                new Iteration(3, 100, 1, 5, 1e-9)), List.of(2.0, 1.0, 4.0), 2, 1e-12, "full");

        assertEquals(3, summary.median().number());
        assertEquals(4, summary.median().communicationMs());
        assertEquals(0.4, summary.median().gflops(), 1e-12);
        assertEquals(1e-3, summary.relativeError());
        assertEquals(1, summary.baselineGflops(), 1e-12);
        assertEquals(0.2, summary.ratio(), 1e-12);
        assertEquals(0.125, summary.bestRatio(), 1e-12);
    }

    @Test
    void shouldCallAWrongResultWrong() {
        assertTrue(summary(1e-3, 1e-12).failed());
        assertTrue(summary(Double.NaN, 1e-12).failed());
        assertFalse(summary(1e-12, 1e-12).failed());
        assertFalse(summary(Double.NaN, Double.NaN).failed());
    }

    private static MatmulSummary summary(double error, double tolerance) {
        return new MatmulSummary(List.of(new Iteration(1, 100, 1, 2, error)), List.of(0.0), 1, tolerance, "full");
    }
}
