package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.RankCounters.Waits;

@Timeout(10)
class RankCountersTest {

    private static final Traffic PUT = new Traffic(1, "local", "put", 8, 5, 40, "");
    private static final Traffic GET = new Traffic(1, "local", "get", 8, 1, 8, "");

    private static RankCounters of(int rank, long timeNs, List<Traffic> traffic, Waits waits, Late late) {
        return new RankCounters(rank, timeNs, traffic, List.of(waits), List.of(late));
    }

    private static final RankCounters EARLIER = of(2, 100, List.of(PUT), new Waits("barrier", 3, 2, 20), new Late(0, 2, 20));
    private static final RankCounters LATER = of(2, 300, List.of(new Traffic(1, "local", "put", 8, 7, 56, ""), GET),
            new Waits("barrier", 9, 2, 20), new Late(0, 3, 50));

    @Test
    void shouldGiveTheDifferenceOfTwoSnapshots() {
        RankCounters difference = LATER.minus(EARLIER);

        assertEquals(of(2, 200, List.of(new Traffic(1, "local", "put", 8, 2, 16, ""), GET), new Waits("barrier", 6, 0, 0),
                new Late(0, 1, 30)), difference);
        assertEquals(24, difference.bytes());
        assertEquals(3, difference.calls());
    }

    @Test
    void shouldLeaveOutWhatDidNotChange() {
        assertEquals(new RankCounters(2, 0, List.of(), List.of(), List.of()), LATER.minus(LATER));
    }

    @Test
    void shouldAddTheRunsOfARank() {
        assertEquals(of(2, 300, List.of(new Traffic(1, "local", "put", 8, 7, 56, ""), GET), new Waits("barrier", 9, 2, 20),
                new Late(0, 3, 50)), EARLIER.plus(LATER.minus(EARLIER)));
        assertEquals(20, LATER.waitNs());
    }

    @Test
    void shouldRefuseAnotherRank() {
        RankCounters other = new RankCounters(1, 0, List.of(), List.of(), List.of());

        assertThrows(IllegalArgumentException.class, () -> other.minus(EARLIER));
        assertThrows(IllegalArgumentException.class, () -> other.plus(EARLIER));
    }
}
