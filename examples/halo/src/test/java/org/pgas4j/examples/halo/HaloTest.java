package org.pgas4j.examples.halo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.Ended;

/** Whole runs on the host device, ranks as threads, and what is refused before. */
@Timeout(300)
class HaloTest {

    @ParameterizedTest
    @CsvSource({"1, 3, 5, 4", "2, 2, 6, 5", "3, 4, 5, 4"})
    void shouldComputeTheSameBitsInAllStyles(int ranks, int blocks, int side, int periods) {
        Ended ended = run("--ranks", "" + ranks, "--blocks", "" + blocks, "--side", "" + side, "--periods", "" + periods,
                "--runs", "2", "--json");

        ended.requireLines(6).requireInEachLine("\"wrong\": 0, \"correct\": true");
    }

    @Test
    void shouldComputeTheSameThroughTheHost() {
        Ended ended = run("--style", "kernel,triggered,blocks", "--proxy", "--ranks", "2", "--blocks", "3", "--side", "5", "--periods",
                "4", "--runs", "1");

        ended.requireEnds(3, "verified");
    }

    @Test
    void shouldComputeTheSmallestBox() {
        Ended ended = run("--ranks", "2", "--blocks", "5", "--side", "2", "--periods", "3", "--runs", "1");

        ended.requireEnds(6, "verified");
    }

    @Test
    void shouldCallOtherNumbersWrong() {
        assertTrue(new Result(new long[1], 0, 0).correct());
        assertTrue(new Result(new long[1], -1, 0).correct());
        assertFalse(new Result(new long[1], 1, 0).correct());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--bogus             | Unknown option: '--bogus'",
        "--ranks 0           | --ranks 0 (expected: >= 1",
        "--device tpu        | --device tpu (expected: auto, host or cuda)",
        "--side 1            | settings out of range",
        "--periods 0         | settings out of range",
        "--style fast        | Invalid value for option '--style'",
    })
    void shouldEndWithCodeTwoAndOneClearLine(String args, String message) {
        run(args.split(" +")).requireRefused("halo: " + message);
    }

    @Test
    void shouldPrintHelpAndVersionAndRefuseUnknownSettings() {
        Ended.requireStandards("halo", Halo::run, "--periods");
    }

    private static Ended run(String... args) {
        return Ended.onHost(Halo::run, args);
    }
}
