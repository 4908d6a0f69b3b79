package org.pgas4j.examples.ring;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.CommandRun;

/** Whole runs on the host device, ranks as threads. */
@Timeout(60)
class RingTest {

    @ParameterizedTest
    @CsvSource({"blocks, 1, 3", "blocks, 2, 2", "blocks, 3, 1", "stream, 1, 1", "stream, 3, 1", "host, 1, 1", "host, 3, 1", "cpu, 3, 1"})
    void shouldCountEveryHop(String style, int ranks, int blocks) {
        run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--rounds", "5", "--runs", "2", "--bytes", "4,7,5000",
                "--json").requireLines(3, "\"hops\": " + 5 * ranks * blocks + ",").requireLines(3, "\"checked\": true}");
    }

    @Test
    void shouldGoTheWayThroughTheHost() {
        run("--style", "blocks", "--proxy", "--rounds", "5", "--bytes", "7", "--runs", "2", "--json").requireLines(1, "\"checked\": true}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--style fast | Invalid value for option '--style'",
        "--bytes 4,3  | --bytes 3 (expected: 4..",
        "--rounds 0   | --rounds 0 (expected: 1..",
        "--blocks 0   | --blocks 0 (expected: >= 1)",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        run(args.split(" +")).requireRefused("ring: " + message);
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new Ring(), "--rounds");
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new Ring(), args);
    }
}
