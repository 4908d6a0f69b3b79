package org.pgas4j.examples.reduction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole runs on the host device, ranks as threads, and what ends before. */
@Timeout(60)
class ReductionTest {

    private record Ended(int code, String out, String err) {
    }

    @ParameterizedTest
    @CsvSource({"blocks, 1, 1, 1000", "blocks, 1, 5, 1000", "blocks, 2, 3, 1001", "blocks, 3, 2, 7", "host, 1, 1, 1000",
            "host, 2, 3, 1001", "host, 3, 4, 2"})
    void shouldAddUpExactly(String style, int ranks, int blocks, int values) {
        Ended ended = job("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--values", "" + values, "--runs", "3",
                "--json");

        assertEquals(0, ended.code, ended.err);
        assertEquals(1, ended.out.lines().count(), ended.out);
        assertTrue(ended.out.contains("\"style\": \"" + style + "\""), ended.out);
        assertTrue(ended.out.contains("\"sum\": " + Values.sum((long) ranks * values).whole() + ", \"checked\": true}"), ended.out);
    }

    @Test
    void shouldAddUpByTheWayThroughTheHost() {
        assertEquals(0, job("--style", "blocks", "--proxy", "--ranks", "2", "--values", "1000").code);
    }

    @Test
    void shouldPrintALineForEachStyle() {
        Ended ended = job("--values", "1000");

        assertEquals(0, ended.code, ended.err);
        assertEquals(2, ended.out.lines().filter(line -> line.endsWith(", exact")).count(), ended.out);
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
        Ended ended = run(args.split(" +"));

        assertEquals(2, ended.code, ended.err);
        assertTrue(ended.err.startsWith("reduction: " + message), ended.err);
        assertFalse(ended.err.contains("\tat "), ended.err);
        assertEquals("", ended.out);
    }

    @Test
    void shouldRefuseUnknownRuntimeSetting() {
        try {
            Ended ended = run("--pgas.rnaks=3");

            assertEquals(2, ended.code, ended.err);
            assertTrue(ended.err.startsWith("reduction: unknown setting pgas.rnaks (maybe: pgas.ranks?)"), ended.err);
        } finally {
            System.clearProperty("pgas.rnaks");
        }
    }

    @Test
    void shouldPrintHelpAndVersion() {
        Ended help = run("--help");
        Ended version = run("--version");

        assertEquals(0, help.code);
        assertTrue(help.out.contains("--style"), help.out);
        assertTrue(help.out.contains("Exit codes:"), help.out);
        assertEquals(0, version.code);
        assertTrue(version.out.startsWith("pgas4j reduction"), version.out);
    }

    private static Ended job(String... args) {
        return run(Stream.concat(Stream.of("--device", "host"), Stream.of(args)).toArray(String[]::new));
    }

    private static Ended run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Reduction.run(List.of(args), new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Ended(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
