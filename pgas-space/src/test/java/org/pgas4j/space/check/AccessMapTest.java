package org.pgas4j.space.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AccessMapTest {

    private static final int BYTES = 64;

    private static AccessMap.Access access(long from, long end, long epoch) {
        return new AccessMap.Access(from, end, epoch, false, null, "put at line " + epoch % 3);
    }

    /** Beside an array that has the newest time of each byte. */
    @Test
    void shouldKeepTheNewestUseOfEachByte() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int trial = 0; trial < 300; trial++) {
            AccessMap map = new AccessMap();
            long[] newest = new long[BYTES];
            for (int step = 1; step <= 60; step++) {
                int from = random.nextInt(BYTES);
                int end = from + 1 + random.nextInt(BYTES - from);
                long epoch = 1 + step / 3;
                map.add(access(from, end, epoch), () -> 0);
                java.util.Arrays.fill(newest, from, end, epoch);
                long[] seen = new long[BYTES];
                long last = -1;
                for (AccessMap.Access each : map.overlapping(0, BYTES)) {
                    assertTrue(each.from() >= last && each.end() > each.from(), "overlap at " + each + ", seed " + seed);
                    last = each.end();
                    java.util.Arrays.fill(seen, (int) each.from(), (int) each.end(), each.epoch());
                }
                org.junit.jupiter.api.Assertions.assertArrayEquals(newest, seen, "seed " + seed);
                int at = random.nextInt(BYTES);
                long found = 0;
                for (AccessMap.Access each : map.overlapping(at, at + 1)) {
                    found = each.epoch();
                }
                assertEquals(newest[at], found, "byte " + at + ", seed " + seed);
            }
        }
    }

    @Test
    void shouldJoinNeighboursOfOneLine() {
        AccessMap map = new AccessMap();

        for (int i = 0; i < 10_000; i++) {
            map.add(access(i * 8L, i * 8L + 8, 3), () -> 0);
        }

        assertEquals(1, map.size());
    }

    @Test
    void shouldStayBounded() {
        AccessMap map = new AccessMap();

        for (int i = 0; i < 20_000; i++) {
            map.add(access(i * 16L, i * 16L + 8, 3), () -> 2);
        }

        assertTrue(map.size() <= 4096, "ranges: " + map.size());
        assertTrue(map.overlapping(19_999 * 16L, 19_999 * 16L + 1).iterator().hasNext());
    }
}
