package org.pgas4j.examples.common;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.UsageException;

@Timeout(60)
class CommonTest {

    private enum Colour { RED }

    @Test
    void shouldWriteOneJsonObject() {
        JsonLine line = new JsonLine().add("count", 3).add("us", 1.23456, 3).add("error", 0.5).add("none", Double.NaN, 2)
                .add("endless", Double.POSITIVE_INFINITY).add("good", true).add("colour", Colour.RED).add("text", "a\"\\\n");

        assertEquals("{\"count\": 3, \"us\": 1.235, \"error\": 0.5, \"none\": null, \"endless\": null,"
                + " \"good\": true, \"colour\": \"RED\", \"text\": \"a\\\"\\\\\\u000a\"}", line.toString());
    }

    @Test
    void shouldSumUpTimes() {
        Times times = Times.of(new long[] {3000, 1000, 9000}, 6000);

        assertEquals(new Times(3, 1, 9, 2), times);
        assertEquals(new Times(1.5, 0.5, 4.5, 1), times.per(2));
    }

    @Test
    void shouldKeepTheTimesOfRunsAfterTheWarmUp() {
        RunClock clock = new RunClock(2);
        for (int run = -1; run < 2; run++) {
            clock.start();
            for (long end = System.nanoTime() + 1_000_000; System.nanoTime() < end;) {
                Thread.onSpinWait();
            }
            clock.stop(run);
        }

        assertEquals(2, clock.ns().length);
        assertTrue(clock.ns()[0] >= 1_000_000 && clock.ns()[1] >= 1_000_000);
        assertTrue(clock.cpuNs() > 0);
    }

    @Test
    void shouldTakeRuntimeOptions() {
        try {
            assertArrayEquals(new String[] {"--json", "--pgas.alone"},
                    Options.takeRuntimeOptions(List.of("--json", "--pgas.test.word=a=b", "--pgas.alone")));
            assertEquals("a=b", System.getProperty("pgas.test.word"));
        } finally {
            System.clearProperty("pgas.test.word");
        }
    }

    @Test
    void shouldSayWhatIsOutOfRange() {
        assertRefused("--runs 0 (expected: >= 1)", () -> Options.atLeast(1, "--runs", 0));
        assertRefused("--i 9 (expected: 1..8)", () -> Options.inRange("--i", 9, 1, 8));
        assertRefused("--threads 48 (expected: a multiple of 32)", () -> Options.threads(48));
        assertRefused("--device tpu (expected: auto, host or cuda)", () -> Options.checkDevice("tpu"));
        Options.atLeast(1, "--runs", 1);
        Options.inRange("--i", 8, 1, 8);
        Options.threads(1024);
        Options.checkDevice(null);
    }

    private static void assertRefused(String message, Runnable check) {
        assertEquals(message, assertThrows(UsageException.class, check::run).getMessage());
    }

    @Test
    void shouldNoticeARunThatEndedOtherwise() {
        Ended good = new Ended(0, "{\"a\": 1, \"b\": \"x\"}\n", "");
        Ended refused = new Ended(2, "", "ring: no\n");

        assertEquals("1", good.requireLines(1).requireInEachLine("\"a\"").requireEnds(1, "}").value("a"));
        assertEquals("x", good.value("b"));
        refused.requireRefused("ring: no");
        for (Runnable wrong : List.<Runnable>of(() -> good.requireLines(2), () -> good.requireEnds(2, "}"),
                () -> good.requireInEachLine("c"), () -> good.value("c"), () -> good.requireRefused(""),
                () -> refused.requireLines(0), () -> refused.requireRefused("halo: "),
                () -> new Ended(2, "", "ring: no\n\tat Ring.run").requireRefused("ring: no"),
                () -> new Ended(2, "x", "ring: no").requireRefused("ring: no"))) {
            assertThrows(AssertionError.class, wrong::run);
        }
    }
}
