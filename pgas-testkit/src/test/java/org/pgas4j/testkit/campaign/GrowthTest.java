package org.pgas4j.testkit.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PgasException;
import org.pgas4j.testkit.campaign.Growth;
import org.pgas4j.testkit.campaign.Resources;

/** Readings that count as growth, and readings that do not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GrowthTest {

    private static final long SECOND = 1_000_000_000L;
    private static final int SECONDS = 360;
    private static final long SETTLED = 120;
    private static final double SLACK_MIB = 4;
    private static final long MIB = 1 << 20;

    /** A reading each second for six minutes. */
    private static Growth of(LongFunction<Resources> atSecond) {
        Growth growth = new Growth(SETTLED * SECOND, SLACK_MIB);
        for (long second = 1; second <= SECONDS; second++) {
            growth.add(second * SECOND, atSecond.apply(second));
        }
        return growth;
    }

    private static Resources held(long privateBytes, int threads, int files, int maps) {
        return new Resources(100 * MIB + privateBytes, privateBytes, 10 * MIB, threads, files, maps);
    }

    private static Resources memory(long privateBytes) {
        return held(privateBytes, 28, 141, 270);
    }

    @Test
    void shouldTellTheSlopeOfAMebibyteAMinute() {
        Growth growth = of(second -> memory(200 * MIB + second * MIB / 60));

        assertEquals(60, growth.slope(), 1e-3);
        assertTrue(growth.toString().endsWith("private +60.00 MiB/h and code +0.00 MiB/h over the last 4.00 min"),
                growth::toString);
    }

    @Test
    void shouldFindMemoryBeyondTheSlack() {
        assertEquals(List.of(), of(second -> memory(200 * MIB + second * MIB / 60)).found());
        assertEquals(List.of("memory grows by 4.8 MiB in 4.00 min (expected: 4.1 at most)"),
                of(second -> memory(200 * MIB + second * MIB / 50)).found());
    }

    @Test
    void shouldNotTakeWhatCameBeforeItSettledForGrowth() {
        assertEquals(List.of(), of(second -> held(Math.min(second, SETTLED) * MIB, (int) Math.min(second, SETTLED),
                (int) Math.min(second, SETTLED), (int) Math.min(second, SETTLED))).found());
    }

    @Test
    void shouldNotTakeWhatComesAndGoesForGrowth() {
        assertEquals(List.of(), of(second -> held((200 + second % 9) * MIB, 28 + (int) (second % 2), 141 + (int) (second % 4),
                270 + (int) (second % 5))).found());
    }

    @Test
    void shouldSeeWhatGrowsBelowPeaks() {
        Growth peaks = of(second -> memory((200 + (second / 8 % 2) * 16 * (second / 180)) * MIB));
        Growth growsBelow = of(second -> memory((200 + (second / 8 % 2) * 16) * MIB + second * MIB / 50));

        assertEquals(0, peaks.slope(), 1e-3);
        assertEquals(List.of(), peaks.found());
        assertEquals(72, growsBelow.slope(), 1);
        assertEquals(1, growsBelow.found().size());
    }

    @Test
    void shouldNameEachThatGrows() {
        List<String> found = of(second -> held(second * MIB, 28 + (int) second / 240, 141 + (int) second / 300,
                270 + (int) second / 330)).found();

        assertEquals(List.of("threads grow: 29 at the end (expected: 28 at most)",
                "files grow: 142 at the end (expected: 141 at most)", "maps grow: 271 at the end (expected: 270 at most)",
                "memory grows by 240.0 MiB in 4.00 min (expected: 4.1 at most)"), found);
    }

    @Test
    void shouldNeedFourReadings() {
        Growth growth = new Growth(10 * SECOND, SLACK_MIB);
        for (int second = 8; second <= 12; second++) {
            growth.add(second * SECOND, memory(MIB));
        }

        PgasException e = assertThrows(PgasException.class, growth::found);

        assertTrue(e.getMessage().startsWith("3 readings after 0.17 min, of 5 (expected: 4 or more)"), e.getMessage());
    }

    @Test
    void shouldReadWhatThisProcessTakes() throws IOException {
        Resources before = Resources.now();
        try (Arena arena = Arena.ofConfined(); FileChannel file = FileChannel.open(Path.of("/proc/self/exe"))) {
            arena.allocate(256 * MIB).fill((byte) 1);
            file.map(FileChannel.MapMode.READ_ONLY, 0, 1, arena);

            Resources with = Resources.now();

            assertTrue(with.privateBytes() - before.privateBytes() > 200 * MIB, () -> before + ", " + with);
            assertTrue(with.residentBytes() >= with.privateBytes(), with::toString);
            assertTrue(with.files() > before.files() && with.maps() > before.maps(), () -> before + ", " + with);
        }
    }
}
