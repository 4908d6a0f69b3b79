package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.RankCounters.Traffic;

@Timeout(10)
class OperationCountsTest {

    private final OperationCounts counts = new OperationCounts();

    private List<Traffic> lines() {
        List<Traffic> lines = new ArrayList<>();
        counts.look(3, "local", "why", lines);
        return lines;
    }

    private static Traffic line(String operation, long minBytes, long calls, long bytes) {
        return new Traffic(3, "local", operation, minBytes, calls, bytes, "why");
    }

    @Test
    void shouldHaveNoLinesAtFirst() {
        assertEquals(List.of(), lines());
    }

    @Test
    void shouldDivideBySizeAtPowersOfTwo() {
        for (long bytes : new long[] {0, 1, 2, 3, 4, 7, 8, 8}) {
            counts.put(bytes);
        }

        assertEquals(List.of(line("put", 0, 1, 0), line("put", 1, 1, 1), line("put", 2, 2, 5), line("put", 4, 2, 11),
                line("put", 8, 2, 16)), lines());
    }

    @Test
    void shouldKeepWhatWasCountedWhenItGrows() {
        counts.get(1);
        counts.get(1L << 62);
        counts.get(1L << 40);
        counts.get(1);

        assertEquals(List.of(line("get", 1, 2, 2), line("get", 1L << 40, 1, 1L << 40),
                line("get", 1L << 62, 1, 1L << 62)), lines());
    }

    @Test
    void shouldTellOperationsApartAndAddThoseOfServices() {
        counts.put(8);
        counts.servicePut(16);
        counts.set(100);
        counts.atomic(4);

        assertEquals(List.of(line("put", 8, 1, 8), line("put", 16, 1, 16), line("set", 64, 1, 100), line("atomic", 4, 1, 4)),
                lines());
    }
}
