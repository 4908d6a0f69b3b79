package org.pgas4j.examples.ring;

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
class RingTest {

    private record Ended(int code, String out, String err) {
    }

    @ParameterizedTest
    @CsvSource({"blocks, 1, 1", "blocks, 1, 3", "blocks, 2, 2", "blocks, 3, 1", "stream, 1, 1", "stream, 2, 1", "stream, 3, 1",
            "host, 1, 1", "host, 3, 1", "cpu, 1, 1", "cpu, 3, 1"})
    void shouldCountEveryHop(String style, int ranks, int blocks) {
        Ended ended = job("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--rounds", "5", "--runs", "2",
                "--bytes", "4,7,5000", "--json");

        assertEquals(0, ended.code, ended.err);
        assertEquals(3, ended.out.lines().count(), ended.out);
        for (String line : ended.out.lines().toList()) {
            assertTrue(line.contains("\"hops\": " + 5 * ranks * blocks + ","), line);
            assertTrue(line.endsWith("\"checked\": true}"), line);
        }
    }

    @Test
    void shouldGoTheWayThroughTheHost() {
        assertEquals(0, job("--style", "blocks", "--proxy", "--ranks", "2", "--rounds", "5").code);
    }

    @Test
    void shouldPrintALineForEachStyleAndSize() {
        Ended ended = job("--rounds", "3", "--bytes", "4,64");

        assertEquals(0, ended.code, ended.err);
        assertEquals(8, ended.out.lines().filter(line -> line.endsWith(", right")).count(), ended.out);
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
        Ended ended = run(args.split(" +"));

        assertEquals(2, ended.code, ended.err);
        assertTrue(ended.err.startsWith("ring: " + message), ended.err);
        assertFalse(ended.err.contains("\tat "), ended.err);
        assertEquals("", ended.out);
    }

    @Test
    void shouldRefuseUnknownRuntimeSetting() {
        try {
            Ended ended = run("--pgas.rnaks=3");

            assertEquals(2, ended.code, ended.err);
            assertTrue(ended.err.startsWith("ring: unknown setting pgas.rnaks (maybe: pgas.ranks?)"), ended.err);
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
        assertTrue(version.out.startsWith("pgas4j ring"), version.out);
    }

    private static Ended job(String... args) {
        return run(Stream.concat(Stream.of("--device", "host"), Stream.of(args)).toArray(String[]::new));
    }

    private static Ended run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Ring.run(List.of(args), new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Ended(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
