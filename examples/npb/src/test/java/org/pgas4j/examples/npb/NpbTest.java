package org.pgas4j.examples.npb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.common.Example;

/** Whole runs on the host device, ranks as threads. */
@Timeout(120)
class NpbTest {

    private static final List<String> ALL = List.of("is", "cg", "ep");

    private static Example of(String name) {
        return switch (name) {
            case "is" -> new Is();
            case "cg" -> new Cg();
            case "ep" -> new Ep();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @ParameterizedTest
    @CsvSource({"is, 1", "is, 2", "is, 3", "is, 4", "cg, 1", "cg, 2", "cg, 3", "cg, 4", "ep, 2", "ep, 3"})
    void shouldFindTheKnownAnswerOfClassS(String name, int ranks) {
        CommandRun.of(of(name), "--ranks", "" + ranks, "--json").requireLines(1, "\"right\": true");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldFindItOnDevices(int ranks) {
        CommandRun.of(new Cg(), "--ranks", "" + ranks, "--device-memory", "--json").requireLines(1, "\"right\": true");
    }

    @Test
    void shouldNoticeASpoiledValueOfADevice() {
        assertEquals(Example.WRONG, CommandRun.of(new Cg(), "--device-memory", "--planted").code());
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"is", "cg", "ep"})
    void shouldFindTheKnownAnswerOfClassW(String name) {
        CommandRun.of(of(name), "--ranks", "3", "--class", "W", "--json").requireLines(1, "\"right\": true");
    }

    @ParameterizedTest
    @CsvSource({"is, 1", "is, 3", "cg, 1", "cg, 3", "ep, 2"})
    void shouldNoticeASpoiledValue(String name, int ranks) {
        CommandRun ended = CommandRun.of(of(name), "--ranks", "" + ranks, "--planted", "--json");

        assertEquals(Example.WRONG, ended.code(), ended.out());
        assertEquals("false", ended.value("right"));
        assertTrue(ended.err().startsWith(name + ": the result is wrong: "), ended.err());
    }

    @ParameterizedTest
    @CsvSource({"is, fastpath", "is, rendezvous", "cg, fastpath"})
    void shouldFindItByMessages(String name, String route) {
        System.setProperty("pgas.route", route);
        try {
            CommandRun.of(of(name), "--ranks", "2", "--json").requireLines(1, "\"right\": true");
        } finally {
            System.clearProperty("pgas.route");
        }
    }

    /** Runs of one sequence: skipping is the same as drawing. */
    @Test
    void shouldSkipRandomNumbers() {
        NpbRandom drawn = new NpbRandom(314_159_265);
        for (int skipped = 0; skipped < 100; skipped++) {
            assertEquals(drawn.next(), new NpbRandom(314_159_265).skip(skipped).next());
        }
    }

    @Test
    void shouldPrintHelp() {
        for (String name : ALL) {
            CommandRun.requireHelp(of(name), "--class");
        }
    }
}
