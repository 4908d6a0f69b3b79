package org.pgas4j.examples.halo;

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

/** Whole runs on the host device, ranks as threads, and what is refused before. */
@Timeout(60)
class HaloTest {

    private record Ended(int code, String out, String err) {
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 5, 4", "2, 2, 6, 5", "3, 4, 5, 4"})
    void shouldComputeTheSameBitsInAllStyles(int ranks, int blocks, int side, int periods) {
        Ended ended = run("--ranks", "" + ranks, "--blocks", "" + blocks, "--side", "" + side, "--periods", "" + periods,
                "--runs", "2", "--json");

        assertEquals(0, ended.code, ended.err);
        assertEquals(4, ended.out.lines().count(), ended.out);
        assertTrue(ended.out.lines().allMatch(line -> line.contains("\"wrong\": 0, \"correct\": true")), ended.out);
    }

    @Test
    void shouldComputeTheSameThroughTheHost() {
        Ended ended = run("--style", "kernel,blocks", "--proxy", "--ranks", "2", "--blocks", "3", "--side", "5", "--periods",
                "4", "--runs", "1");

        assertEquals(0, ended.code, ended.err);
        assertEquals(2, ended.out.lines().filter(line -> line.endsWith("verified")).count(), ended.out);
    }

    @Test
    void shouldComputeTheSmallestBox() {
        Ended ended = run("--ranks", "2", "--blocks", "5", "--side", "2", "--periods", "3", "--runs", "1");

        assertEquals(0, ended.code, ended.err);
        assertEquals(4, ended.out.lines().filter(line -> line.endsWith("verified")).count(), ended.out);
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
        Ended ended = run(args.split(" +"));

        assertEquals(2, ended.code, ended.err);
        assertTrue(ended.err.startsWith("halo: " + message), ended.err);
        assertEquals("", ended.out);
    }

    @Test
    void shouldPrintHelp() {
        Ended help = run("--help");

        assertEquals(0, help.code);
        assertTrue(help.out.contains("--periods") && help.out.contains("Exit codes:"), help.out);
    }

    private static Ended run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = Stream.concat(List.of(args).contains("--device") ? Stream.of() : Stream.of("--device", "host"),
                Stream.of(args)).toList();
        int code = Halo.run(all, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Ended(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
