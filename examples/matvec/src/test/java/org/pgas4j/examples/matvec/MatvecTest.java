package org.pgas4j.examples.matvec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole runs on the host device, ranks as threads, and what is refused before. */
@Timeout(60)
class MatvecTest {

    private record Ended(int code, String out, String err) {
    }

    @ParameterizedTest
    @CsvSource({
        "host,   2, 1, 100, 2",
        "host,   4, 1, 101, 3",
        "host,   4, 1, 2,   1",
        "blocks, 2, 1, 40,  1",
        "blocks, 2, 4, 100, 2",
        "blocks, 3, 5, 101, 3",
        "blocks, 3, 5, 4,   2",
    })
    void shouldMultiplyEveryVectorOfEveryBatch(String style, int ranks, int blocks, int vectors, int depth) {
        Ended ended = run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--vectors", "" + vectors,
                "--depth", "" + depth, "--batches", "7", "--runs", "1", "--json");

        assertEquals(0, ended.code, ended.err);
        assertEquals(1, ended.out.lines().count(), ended.out);
        assertTrue(ended.out.contains("\"wrong\": 0, \"correct\": true"), ended.out);
    }

    @Test
    void shouldMultiplyThroughTheHost() {
        Ended ended = run("--style", "blocks", "--proxy", "--ranks", "3", "--blocks", "3", "--vectors", "50", "--batches", "5",
                "--runs", "2", "--json");

        assertEquals(0, ended.code, ended.err);
        assertTrue(ended.out.contains("\"wrong\": 0, \"correct\": true"), ended.out);
    }

    @Test
    void shouldPrintALineForEachSizeAndStyle() {
        Ended ended = run("--ranks", "2", "--blocks", "2", "--vectors", "8,16", "--batches", "3", "--runs", "1");

        assertEquals(0, ended.code, ended.err);
        assertEquals(4, ended.out.lines().filter(line -> line.endsWith("verified")).count(), ended.out);
    }

    @Test
    void shouldFindWrongValues() {
        Settings settings = Settings.of(3).repeated(2, 1, 1);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment a = arena.allocate(ValueLayout.JAVA_FLOAT, Data.SIDE * Data.SIDE);
            for (int i = 0; i < Data.SIDE * Data.SIDE; i++) {
                a.setAtIndex(ValueLayout.JAVA_FLOAT, i, Data.matrix(i % Data.SIDE, i / Data.SIDE));
            }
            MemorySegment x = arena.allocate(ValueLayout.JAVA_FLOAT, 6 * Data.SIDE);
            MemorySegment y = arena.allocate(ValueLayout.JAVA_FLOAT, 6 * Data.SIDE);
            Data.fill(x, settings);
            Data.multiply(a, x, 0, y, 0, 6);

            assertEquals(0, Data.wrong(y, settings));
            y.setAtIndex(ValueLayout.JAVA_FLOAT, 40, Float.NaN);
            y.setAtIndex(ValueLayout.JAVA_FLOAT, 41, y.getAtIndex(ValueLayout.JAVA_FLOAT, 41) + 1);
            assertEquals(2, Data.wrong(y, settings));
        }
        assertFalse(new Result(new long[1], 2, 0).correct());
        assertTrue(new Result(new long[1], -1, 0).correct());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--bogus             | Unknown option: '--bogus'",
        "--ranks 1           | --ranks 1 (expected: >= 2, a client and servers",
        "--device tpu        | --device tpu (expected: auto, host or cuda)",
        "--vectors 0         | settings out of range",
        "--threads 33        | settings out of range",
        "--style fast        | Invalid value for option '--style'",
    })
    void shouldEndWithCodeTwoAndOneClearLine(String args, String message) {
        Ended ended = run(args.split(" +"));

        assertEquals(2, ended.code, ended.err);
        assertTrue(ended.err.startsWith("matvec: " + message), ended.err);
        assertEquals("", ended.out);
    }

    @Test
    void shouldPrintHelp() {
        Ended help = run("--help");

        assertEquals(0, help.code);
        assertTrue(help.out.contains("--batches") && help.out.contains("Exit codes:"), help.out);
    }

    private static Ended run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = Stream.concat(List.of(args).contains("--device") ? Stream.of() : Stream.of("--device", "host"),
                Stream.of(args)).toList();
        int code = Matvec.run(all, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Ended(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
