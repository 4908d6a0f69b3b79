package org.pgas4j.examples.halo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.CommandRun;

/** Whole runs on the host device, ranks as threads. */
@Timeout(60)
class HaloTest {

    @ParameterizedTest
    @CsvSource({"1, 3, 5, 4", "2, 2, 6, 5", "3, 4, 5, 4", "2, 5, 2, 3"})
    void shouldComputeTheSameBitsInAllStyles(int ranks, int blocks, int side, int periods) {
        run("--ranks", "" + ranks, "--blocks", "" + blocks, "--side", "" + side, "--periods", "" + periods, "--runs", "1", "--json")
                .requireLines(6, "\"wrong\": 0, \"correct\": true");
    }

    @Test
    void shouldComputeTheSameThroughTheHost() {
        run("--style", "kernel,triggered,blocks", "--proxy", "--blocks", "3", "--side", "5", "--periods", "4", "--runs", "1", "--json")
                .requireLines(3, "\"wrong\": 0, \"correct\": true");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--side 1     | --side 1 (expected: 2..1290)",
        "--periods 0  | --periods 0 (expected: >= 1)",
        "--style fast | Invalid value for option '--style'",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        run(args.split(" +")).requireRefused("halo: " + message);
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new Halo(), "--periods");
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new Halo(), args);
    }
}
