package org.pgas4j.examples.prk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.common.Example;

/** Whole runs on the host device, ranks as threads. */
@Timeout(60)
class PrkTest {

    private static final List<String> ALL = List.of("synch-p2p", "transpose", "nstream", "prk-stencil");

    private static Example of(String name) {
        return switch (name) {
            case "synch-p2p" -> new SynchP2p();
            case "transpose" -> new Transpose();
            case "nstream" -> new Nstream();
            case "prk-stencil" -> new StarStencil();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldFindTheKnownAnswer(int ranks) {
        for (String name : ALL) {
            CommandRun.of(of(name), "--ranks", "" + ranks, "--runs", "2", "--json").requireLines(1, "\"right\": true");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 5", "2, 70", "3, 100", "4, 4"})
    void shouldTransposeOnDevices(int ranks, int order) {
        CommandRun.of(new Transpose(), "--ranks", "" + ranks, "--order", "" + order, "--device-memory", "--json")
                .requireLines(1, "\"right\": true");
    }

    @Test
    void shouldNoticeASpoiledValueOfADevice() {
        assertEquals(Example.WRONG, CommandRun.of(new Transpose(), "--device-memory", "--planted").code());
    }

    /** Orders that the ranks do not divide; some ranks of a transposition have nothing. */
    @ParameterizedTest
    @CsvSource({"synch-p2p, 2, 1", "synch-p2p, 7, 3", "transpose, 1, 3", "transpose, 3, 4", "transpose, 10, 3", "nstream, 1, 3",
            "nstream, 10, 4", "prk-stencil, 5, 1", "prk-stencil, 11, 4"})
    void shouldTakeAnyOrder(String name, int order, int ranks) {
        CommandRun.of(of(name), "--ranks", "" + ranks, "--order", "" + order, "--iterations", "3", "--json")
                .requireLines(1, "\"right\": true");
        CommandRun.of(of(name), "--ranks", "" + ranks, "--order", "" + order, "--iterations", "0", "--json")
                .requireLines(1, "\"right\": true");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldNoticeASpoiledValue(int ranks) {
        for (String name : ALL) {
            CommandRun ended = CommandRun.of(of(name), "--ranks", "" + ranks, "--planted", "--json");

            assertEquals(Example.WRONG, ended.code(), name);
            assertEquals("false", ended.value("right"), name);
            assertTrue(ended.err().startsWith(name + ": the result is wrong: "), ended.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fastpath", "rendezvous"})
    void shouldFindItByMessages(String route) {
        System.setProperty("pgas.route", route);
        try {
            for (String name : ALL) {
                CommandRun.of(of(name), "--ranks", "3", "--order", "60", "--json").requireLines(1, "\"right\": true");
            }
        } finally {
            System.clearProperty("pgas.route");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "synch-p2p   | --order 0       | --order 0 (expected: 1..40000)",
        "transpose   | --iterations -1 | --iterations -1 (expected: 0..1000000)",
        "prk-stencil | --runs 0        | --runs 0 (expected: >= 1)",
        "nstream     | --class B       | Invalid value for option '--class'",
        "synch-p2p   | --order 5 -n 3  | --order 5 (expected: at least two columns for each of 3 ranks)",
        "transpose   | --order 2 -n 3 --device-memory | --ranks 3 (expected: 1..2)",
        "prk-stencil | --order 4 -n 1  | --order 4 (expected: > 4",
    })
    void shouldRefuseWhatIsOutOfRange(String name, String args, String message) {
        CommandRun.of(of(name), args.split(" +")).requireRefused(name + ": " + message);
    }

    @Test
    void shouldPrintHelp() {
        for (String name : ALL) {
            CommandRun.requireHelp(of(name), "--class");
        }
    }
}
