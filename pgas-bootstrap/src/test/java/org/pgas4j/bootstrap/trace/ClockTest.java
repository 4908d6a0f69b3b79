package org.pgas4j.bootstrap.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClockTest {

    private static final long OFFSET_NS = -7_000_000_123L;

    private long nowNs;

    @Test
    void shouldBoundTheErrorWhateverTheDelays() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            TimeOffset found = TimeOffset.measure(() -> nowNs, () -> {
                nowNs += random.nextInt(5_000);
                long answer = nowNs + OFFSET_NS;
                nowNs += random.nextInt(50_000);
                return answer;
            }, 1 + random.nextInt(8));

            assertTrue(Math.abs(found.offsetNs() - OFFSET_NS) <= found.errorNs(), found::toString);
        }
    }

    @Test
    void shouldKeepTheFastestAnswer() {
        long[] delays = {900, 10, 400};
        int[] question = new int[1];
        TimeOffset found = TimeOffset.measure(() -> nowNs, () -> {
            long delay = delays[question[0]++];
            nowNs += delay;
            long answer = nowNs + OFFSET_NS;
            nowNs += delay;
            return answer;
        }, delays.length);

        assertEquals(new TimeOffset(1_810, OFFSET_NS, 10), found);
    }

    @Test
    void shouldFollowADriftBetweenTwoMeasurements() {
        ClockLine line = new ClockLine(List.of(new TimeOffset(1_000, 500, 7), new TimeOffset(3_000, 700, 9)));

        assertEquals(1_500, line.jobNs(1_000));
        assertEquals(2_000 + 600, line.jobNs(2_000));
        assertEquals(3_700, line.jobNs(3_000));
        assertEquals(500, line.jobNs(0), "before the first measurement its offset holds");
        assertEquals(10_700, line.jobNs(10_000), "after the last one its own");
        assertEquals(9, line.errorNs());
    }

    @Test
    void shouldTakeOneMeasurementForTheWholeRun() {
        ClockLine line = new ClockLine(List.of(new TimeOffset(1_000, 500, 7)));

        assertEquals(500, line.jobNs(0));
        assertEquals(5_500, line.jobNs(5_000));
        assertEquals(7, line.errorNs());
    }
}
