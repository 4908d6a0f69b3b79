package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgas4j.examples.common.Ended;
import org.pgas4j.examples.matmul.io.MatrixFiles;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.SizeCheck;

/** Whole runs on the host device, ranks as threads. */
@Timeout(120)
class MatmulJobTest {

    private static final List<String> KEYS = List.of("n", "ranks", "processes", "device", "dtype", "style",
            "iterations", "compute_ms", "communication_ms", "total_ms", "gflops", "rel_error");

    @TempDir
    Path directory;

    static Stream<Arguments> runs() {
        return Stream.of("runtime", "user-level").flatMap(style -> Stream.of("f32", "f64").flatMap(dtype ->
                Stream.of(1, 2, 3).map(ranks -> Arguments.of(style, dtype, ranks))));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldMultiplyAndVerify(String style, String dtype, int ranks) {
        Ended ended = run("--n", "65", "--ranks", "" + ranks, "--style", style, "--dtype", dtype, "--iterations", "2",
                "--json");

        assertEquals(0, ended.code(), ended.err());
        assertEquals(3, ended.out().lines().count(), ended.out());
        KEYS.forEach(ended::value);
        assertEquals("" + ranks, ended.value("ranks"));
        assertEquals(style, ended.value("style"));
        assertEquals(dtype, ended.value("dtype"));
        assertTrue(Double.parseDouble(ended.value("rel_error")) <= (dtype.equals("f32") ? 1e-5 : 1e-12), ended.out());
        assertEquals(Double.parseDouble(ended.value("total_ms")), Double.parseDouble(ended.value("compute_ms"))
                + Double.parseDouble(ended.value("communication_ms")), 1e-6);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldMultiplyWhereSomeRanksHaveNoColumns(String style, String dtype, int ranks) {
        Ended ended = run("--n", "5", "--ranks", "" + (ranks + 1), "--style", style, "--dtype", dtype, "--json");

        assertEquals(0, ended.code(), ended.err());
    }

    @Test
    void shouldMultiplyInChunks() {
        Ended ended = run("--n", "64", "--ranks", "2", "--chunks", "5", "--json");

        assertEquals(0, ended.code(), ended.err());
        assertEquals("full", ended.value("verify"));
    }

    @Test
    void shouldMultiplyTheMatrixThatComesWithTheExample() {
        Ended ended = run("--iterations", "1", "--warmup", "0");

        assertEquals(0, ended.code(), ended.err());
        assertTrue(ended.out().contains("A = bcsstk13 (2003 x 2003, symmetric sparse, 42943 entries), B = A, f64"),
                ended.out());
        assertTrue(ended.out().contains("4 ranks in 1 process on 1 device of host"), ended.out());
        assertTrue(ended.lastLine().startsWith("verified: relative error"), ended.out());
    }

    @Test
    void shouldWriteTheProductOfTwoFiles() throws IOException {
        Path a = Files.writeString(directory.resolve("a.mtx"),
                "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
        Path b = Files.writeString(directory.resolve("b.mtx"),
                "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 10\n");
        Path out = directory.resolve("c.npy");

        Ended ended = run("--a", a.toString(), "--b", b.toString(), "--ranks", "2", "--out", out.toString(), "--json");

        assertEquals(0, ended.code(), ended.err());
        double[] column = new double[2];
        try (Arena arena = Arena.ofShared()) {
            MatrixSource c = MatrixFiles.read(out, SizeCheck.ANY, arena);
            c.column(0, column);
            assertEquals(List.of(30.0, 40.0), List.of(column[0], column[1]));
            c.column(1, column);
            assertEquals(List.of(1.0, 2.0), List.of(column[0], column[1]));
        }
    }

    @Test
    void shouldMeasureTheLibraryAlone() {
        Ended ended = run("--n", "300", "--ranks", "2", "--baseline", "--json");

        assertEquals(0, ended.code(), ended.err());
        double ratio = Double.parseDouble(ended.value("gflops")) / Double.parseDouble(ended.value("baseline_gflops"));
        assertEquals(ratio, Double.parseDouble(ended.value("ratio")), 1e-9);
    }

    @Test
    void shouldNotVerifyIfToldSo() {
        Ended ended = run("--n", "20", "--ranks", "2", "--no-verify");

        assertEquals(0, ended.code(), ended.err());
        assertEquals("not verified", ended.lastLine());
    }

    @Test
    void shouldEndWithCodeTwoIfAHeapCannotHoldTheMatrices() {
        System.setProperty("pgas.heap.device", "1m");
        try {
            Ended ended = run("--n", "600", "--ranks", "2");

            assertEquals(2, ended.code(), ended.err());
            assertTrue(ended.err().contains("matmul: no memory: "), ended.err());
        } finally {
            System.clearProperty("pgas.heap.device");
        }
    }

    private static Ended run(String... args) {
        return Ended.onHost(Matmul::run, args);
    }
}
