package org.pgas4j.examples.reduction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.Ended;

/** Whole runs on the host device, ranks as threads, and what ends before. */
@Timeout(300)
class ReductionTest {

    @ParameterizedTest
    @CsvSource({"blocks, 1, 1, 1000", "blocks, 1, 5, 1000", "blocks, 2, 3, 1001", "blocks, 3, 2, 7", "host, 1, 1, 1000",
            "host, 2, 3, 1001", "host, 3, 4, 2"})
    void shouldAddUpExactly(String style, int ranks, int blocks, int values) {
        Ended ended = run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--values", "" + values, "--runs", "3",
                "--json");

        ended.requireLines(1);
        assertTrue(ended.out().contains("\"style\": \"" + style + "\""), ended.out());
        assertTrue(ended.out().contains("\"sum\": " + Values.sum((long) ranks * values).whole() + ", \"checked\": true}"), ended.out());
    }

    @Test
    void shouldAddUpByTheWayThroughTheHost() {
        assertEquals(0, run("--style", "blocks", "--proxy", "--ranks", "2", "--values", "1000").code());
    }

    @Test
    void shouldPrintALineForEachStyle() {
        Ended ended = run("--values", "1000");

        ended.requireEnds(2, ", exact");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--bogus            | Unknown option: '--bogus'",
        "--ranks 0          | --ranks 0 (expected: >= 1)",
        "--device tpu       | --device tpu (expected: auto, host or cuda)",
        "--style fast       | Invalid value for option '--style'",
        "--values 0         | --values 0 (expected: >= 1)",
        "--blocks 0         | --blocks 0 (expected: >= 1)",
        "--threads 48       | --threads 48 (expected: a multiple of 32, <= 1024)",
        "--runs 0           | --runs 0 (expected: >= 1)",
        "--warmup -1        | --warmup -1 (expected: >= 0)",
    })
    void shouldEndWithCodeTwoAndOneClearLine(String args, String message) {
        run(args.split(" +")).requireRefused("reduction: " + message);
    }

    @Test
    void shouldPrintHelpAndVersionAndRefuseUnknownSettings() {
        Ended.requireStandards("reduction", Reduction::run, "--style");
    }

    private static Ended run(String... args) {
        return Ended.onHost(Reduction::run, args);
    }
}
