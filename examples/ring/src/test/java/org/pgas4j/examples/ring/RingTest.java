package org.pgas4j.examples.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.Ended;

/** Whole runs on the host device, ranks as threads, and what ends before. */
@Timeout(300)
class RingTest {

    @ParameterizedTest
    @CsvSource({"blocks, 1, 1", "blocks, 1, 3", "blocks, 2, 2", "blocks, 3, 1", "stream, 1, 1", "stream, 2, 1", "stream, 3, 1",
            "host, 1, 1", "host, 3, 1", "cpu, 1, 1", "cpu, 3, 1"})
    void shouldCountEveryHop(String style, int ranks, int blocks) {
        Ended ended = run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--rounds", "5", "--runs", "2",
                "--bytes", "4,7,5000", "--json");

        ended.requireLines(3);
        for (String line : ended.out().lines().toList()) {
            assertTrue(line.contains("\"hops\": " + 5 * ranks * blocks + ","), line);
            assertTrue(line.endsWith("\"checked\": true}"), line);
        }
    }

    @Test
    void shouldGoTheWayThroughTheHost() {
        assertEquals(0, run("--style", "blocks", "--proxy", "--ranks", "2", "--rounds", "5").code());
    }

    @Test
    void shouldPrintALineForEachStyleAndSize() {
        Ended ended = run("--rounds", "3", "--bytes", "4,64");

        ended.requireEnds(8, ", right");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--bogus            | Unknown option: '--bogus'",
        "--ranks 0          | --ranks 0 (expected: >= 1)",
        "--device tpu       | --device tpu (expected: auto, host or cuda)",
        "--style fast       | Invalid value for option '--style'",
        "--bytes 4,3        | --bytes 3 (expected: 4..",
        "--rounds 0         | --rounds 0 (expected: 1..",
        "--blocks 0         | --blocks 0 (expected: 1..",
        "--threads 2000     | --threads 2000 (expected: 32..1024)",
        "--threads 48       | --threads 48 (expected: a multiple of 32)",
        "--runs 0           | --runs 0 (expected: 1..",
        "--warmup -1        | --warmup -1 (expected: 0..",
    })
    void shouldEndWithCodeTwoAndOneClearLine(String args, String message) {
        run(args.split(" +")).requireRefused("ring: " + message);
    }

    @Test
    void shouldPrintHelpAndVersionAndRefuseUnknownSettings() {
        Ended.requireStandards("ring", Ring::run, "--style");
    }

    private static Ended run(String... args) {
        return Ended.onHost(Ring::run, args);
    }
}
