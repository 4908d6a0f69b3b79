package org.pgas4j.examples.matvec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;
import org.pgas4j.examples.matvec.Matvec.MatvecStyle;

/** Whole runs on the host device, ranks as threads. */
@Timeout(60)
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
        run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--vectors", "" + vectors, "--depth", "" + depth,
                "--batches", "7", "--runs", "1", "--json").requireLines(1, "\"wrong\": 0, \"correct\": true");
    }

    @Test
    void shouldMultiplyThroughTheHost() {
        run("--style", "blocks", "--proxy", "--ranks", "3", "--blocks", "3", "--vectors", "50", "--batches", "5", "--runs", "2",
                "--json").requireLines(1, "\"wrong\": 0, \"correct\": true");
    }

    /** Lanes of a whole warp have the elements of a vector from each other. */
    @ParameterizedTest
    @CsvSource({"32, 7", "64, 7", "40, 5", "1, 3"})
    void shouldMultiplyWithAnyThreadsOfABlock(int threads, int vectors) {
        MatvecCase of = new MatvecCase(MatvecStyle.HOST, vectors, 1, 1, new RunSettings(0, 256, false, 1, 1, true));
        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST), rank -> {
            try (Arena arena = Arena.ofShared(); Buffer a = rank.device().allocFloats(Products.SIDE * Products.SIDE);
                    Buffer x = rank.device().allocFloats(vectors * Products.SIDE);
                    Buffer y = rank.device().allocFloats(vectors * Products.SIDE)) {
                Buffer host = buffer(arena.allocate(ValueLayout.JAVA_FLOAT, a.length()));
                fill(host.segment());
                rank.stream().copy(a, host);
                Buffer all = buffer(arena.allocate(ValueLayout.JAVA_FLOAT, x.length()));
                Products.fill(all.segment(), of);
                rank.stream().copy(x, all);
                rank.stream().launch(new Kernel.Shape(1, threads), self -> Products.multiply(self, a, x, y, 0, vectors));
                rank.stream().copy(all, y);
                rank.stream().sync();
                assertEquals(0, Products.wrong(all.segment(), of));
            }
        });
    }

    /** A by columns. */
    private static void fill(MemorySegment a) {
        for (int i = 0; i < Products.SIDE * Products.SIDE; i++) {
            a.setAtIndex(ValueLayout.JAVA_FLOAT, i, Products.matrix(i % Products.SIDE, i / Products.SIDE));
        }
    }

    @Test
    void shouldFindWrongValues() {
        MatvecCase of = new MatvecCase(MatvecStyle.HOST, 3, 2, 1, new RunSettings(0, 256, false, 1, 1, true));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment a = arena.allocate(ValueLayout.JAVA_FLOAT, Products.SIDE * Products.SIDE);
            fill(a);
            MemorySegment x = arena.allocate(ValueLayout.JAVA_FLOAT, 6 * Products.SIDE);
            MemorySegment y = arena.allocate(ValueLayout.JAVA_FLOAT, 6 * Products.SIDE);
            Products.fill(x, of);
            float[] row = new float[Products.SIDE];
            for (int i = 0; i < Products.SIDE; i++) {
                Products.row(buffer(a), i, row);
                Products.elements(row, i, 0, 1, buffer(x), 0, buffer(y), 0, 6);
            }

            assertEquals(0, Products.wrong(y, of));
            y.setAtIndex(ValueLayout.JAVA_FLOAT, 40, Float.NaN);
            y.setAtIndex(ValueLayout.JAVA_FLOAT, 41, y.getAtIndex(ValueLayout.JAVA_FLOAT, 41) + 1);
            assertEquals(2, Products.wrong(y, of));
        }
    }

    private static Buffer buffer(MemorySegment memory) {
        return Buffer.ofHost(memory, ElementType.FLOAT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--ranks 1    | --ranks 1 (expected: >= 2, a client and servers",
        "--vectors 0  | --vectors 0 (expected: >= 1)",
        "--style fast | Invalid value for option '--style'",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        run(args.split(" +")).requireRefused("matvec: " + message);
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new Matvec(), "--batches");
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new Matvec(), args);
    }
}
