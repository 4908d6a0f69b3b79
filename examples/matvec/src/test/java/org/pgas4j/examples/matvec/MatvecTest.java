package org.pgas4j.examples.matvec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.Ended;

/** Whole runs on the host device, ranks as threads, and what is refused before. */
@Timeout(300)
class MatvecTest {

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

        ended.requireLines(1);
        assertTrue(ended.out().contains("\"wrong\": 0, \"correct\": true"), ended.out());
    }

    @Test
    void shouldMultiplyThroughTheHost() {
        Ended ended = run("--style", "blocks", "--proxy", "--ranks", "3", "--blocks", "3", "--vectors", "50", "--batches", "5",
                "--runs", "2", "--json");

        assertEquals(0, ended.code(), ended.err());
        assertTrue(ended.out().contains("\"wrong\": 0, \"correct\": true"), ended.out());
    }

    @Test
    void shouldPrintALineForEachSizeAndStyle() {
        Ended ended = run("--ranks", "2", "--blocks", "2", "--vectors", "8,16", "--batches", "3", "--runs", "1");

        ended.requireEnds(4, "verified");
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
        run(args.split(" +")).requireRefused("matvec: " + message);
    }

    @Test
    void shouldPrintHelpAndVersionAndRefuseUnknownSettings() {
        Ended.requireStandards("matvec", Matvec::run, "--batches");
    }

    private static Ended run(String... args) {
        return Ended.onHost(Matvec::run, args);
    }
}
