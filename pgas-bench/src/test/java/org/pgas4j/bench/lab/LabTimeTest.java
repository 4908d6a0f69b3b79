package org.pgas4j.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.lab.ExperimentPlan.Effort;

class LabTimeTest {

    /** As many requests as the seconds or the samples allow, ten at least, and the owner's turns alone. */
    @ParameterizedTest
    @CsvSource({
        "helper=on owner=idle, 1, 1.15",                 // seconds
        "helper=on owner=idle, 0.25, 0.40",
        "helper=on owner=idle kernel_ms=100, 0.25, 0.65", // ten requests, 50 ms apart
        "helper=on owner=spin kernel_ms=100, 0.25, 1.05", // four turns more: the first, alone before and after, and two halves
        "helper=off owner=spin kernel_ms=100, 0.25, 1.55", // a turn each, and one in the warm-up
        "operation=overlap helper=on owner=spin kernel_ms=100, 0.25, 1.45"})
    void shouldEstimateAPoint(String point, double seconds, double expected) {
        assertEquals(expected, LabTime.seconds(LabPoint.parse(point), new Effort(1, seconds), 100_000), 0.01);
    }

    @Test
    void shouldRehearseForTwiceThePointsSecondsUpToTwo() {
        assertEquals(0.6, LabTime.rehearsal(List.of(0.1, 0.2)), 1e-9);
        assertEquals(2, LabTime.rehearsal(List.of(0.4, 0.4, 0.4)), 1e-9);
        assertEquals(4.6, LabTime.launch(List.of(0.1, 0.2)), 1e-9);
    }

    @Test
    void shouldEndWithTheSamples() {
        assertEquals(0.15 + 100 * 0.5e-3, LabTime.seconds(LabPoint.parse("helper=on owner=idle kernel_ms=1"), new Effort(1, 1), 100), 0.01);
    }
}
