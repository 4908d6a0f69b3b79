package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.matmul.io.MatrixFiles;
import org.pgas4j.examples.matmul.io.MatrixSource;

/** Whole runs on the host device, ranks as threads. */
@Timeout(120)
class MatmulJobTest {

    private static final List<String> KEYS = List.of("n", "ranks", "processes", "device", "dtype", "style",
            "iterations", "compute_ms", "communication_ms", "total_ms", "gflops", "rel_error");

    @TempDir
    Path directory;

    /** The second of each kind has a rank without columns. */
    @ParameterizedTest
    @CsvSource({"runtime, f64, 65, 3", "runtime, f32, 5, 4", "user-level, f32, 65, 2", "user-level, f64, 5, 4", "runtime, f64, 65, 1"})
    void shouldMultiplyAndVerify(String style, String dtype, int n, int ranks) {
        CommandRun ended = run("--n", "" + n, "--ranks", "" + ranks, "--style", style, "--dtype", dtype, "--iterations", "2", "--json");

        ended.requireLines(3, "\"communication_ms\": ");
        KEYS.forEach(ended::value);
        assertEquals("" + ranks, ended.value("ranks"));
        assertEquals(style, ended.value("style"));
        assertEquals(dtype, ended.value("dtype"));
        assertTrue(Double.parseDouble(ended.value("rel_error")) <= (dtype.equals("f32") ? 1e-5 : 1e-12), ended.out());
        assertEquals(Double.parseDouble(ended.value("total_ms")), Double.parseDouble(ended.value("compute_ms"))
                + Double.parseDouble(ended.value("communication_ms")), 1e-6);
    }

    /** Blocks of a grid of 2 x 2, and of more ranks than fit. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pull   | f64  | --n 65           --ranks 4",
        "pull   | f32  | --n 5            --ranks 3",
        "reduce | f64  | --n 65           --ranks 4 --grid 4x1",
        "reduce | tf32 | --shape 33,40,21 --ranks 2",
        "auto   | f64  | --n 40           --ranks 2 --baseline",
        "reduce | bf16 | --shape 33,500,7 --ranks 3",
        "pull   | f16  | --shape 9,20,70  --ranks 2 --gather",
        "replicated | f16 | --shape 9,20,30 --ranks 3 --gather",
        "auto   | int8 | --shape 30,20,65 --ranks 4 --grid 1x4",
        "summa  | f64  | --n 65           --ranks 6 --grid 2x3 --block 8",
        "summa  | bf16 | --shape 33,50,70 --ranks 4",
        "cannon | f32  | --shape 31,29,47 --ranks 4 --block 5 --transposed b",
        "pull   | f64  | --shape 150,70,37 --ranks 3 --transposed ab",
        "reduce | f64  | --shape 20,35,140 --ranks 4 --transposed a",
        "auto   | f64  | --n 41           --ranks 4 --grid 2x2 --block 3",
    })
    void shouldMultiplyGlobalMatrices(String algorithm, String dtype, String options) {
        List<String> all = new ArrayList<>(List.of("--algorithm", algorithm, "--dtype", dtype, "--iterations", "2", "--json"));
        all.addAll(List.of(options.split(" +")));
        CommandRun ended = run(all.toArray(String[]::new));

        ended.requireOk();
        assertEquals(algorithm, ended.value("algorithm"));
        assertEquals(options.contains("500") ? "16 columns" : "all", ended.value("verify"));
        assertTrue(Double.parseDouble(ended.value("residual")) <= (dtype.equals("int8") ? 0 : 4), ended.out());
    }

    /** Tiles that go beyond the matrices, and fewer of them than ranks. */
    @ParameterizedTest
    @CsvSource({"f64, '50,33,41', 16, 3", "f32, '9,8,30', 64, 2", "int8, '20,20,20', 7, 2"})
    void shouldMultiplyIrregularTiles(String dtype, String shape, int tile, int ranks) {
        try {
            CommandRun ended = run("--irregular", "--dtype", dtype, "--shape", shape, "--tile", "" + tile, "--ranks", "" + ranks,
                    "--kernel-ms", "0.1", "--iterations", "2", "--json", "--pgas.route=fastpath", "--pgas.helper=on");

            ended.requireOk();
            assertEquals("irregular", ended.value("algorithm"));
            assertTrue(Double.parseDouble(ended.value("residual")) <= (dtype.equals("int8") ? 0 : 4), ended.out());
        } finally {
            System.clearProperty("pgas.route");
            System.clearProperty("pgas.helper");
        }
    }

    @Test
    void shouldWriteAGlobalProductInPieces() throws IOException {
        Path global = directory.resolve("global.npy");
        Path whole = directory.resolve("whole.npy");

        run("--n", "30", "--ranks", "3", "--algorithm", "pull", "--out", global.toString()).requireOk();
        run("--n", "30", "--ranks", "3", "--out", whole.toString()).requireOk();

        MatrixSource is = MatrixFiles.read(global, MatrixSource.SizeCheck.ANY, Arena.ofAuto());
        MatrixSource should = MatrixFiles.read(whole, MatrixSource.SizeCheck.ANY, Arena.ofAuto());
        for (int j = 0; j < 30; j++) {
            assertArrayEquals(should.column(j), is.column(j), 1e-12);
        }
    }

    @Test
    void shouldMultiplyInChunks() {
        CommandRun ended = run("--n", "64", "--ranks", "2", "--chunks", "5", "--json");

        ended.requireOk();
        assertEquals("full", ended.value("verify"));
    }

    @Test
    void shouldMultiplyTheMatrixThatComesWithTheExample() {
        CommandRun ended = run("--iterations", "1", "--warmup", "0");

        ended.requireOk();
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

        CommandRun ended = run("--a", a.toString(), "--b", b.toString(), "--ranks", "2", "--out", out.toString(), "--json");

        ended.requireOk();
        MatrixSource c = MatrixFiles.read(out, MatrixSource.SizeCheck.ANY, Arena.ofAuto());
        assertArrayEquals(new double[] {30, 40}, c.column(0));
        assertArrayEquals(new double[] {1, 2}, c.column(1));
    }

    @Test
    void shouldMeasureTheLibraryAlone() {
        CommandRun ended = run("--n", "300", "--ranks", "2", "--iterations", "1", "--baseline", "--json");

        ended.requireOk();
        double ratio = Double.parseDouble(ended.value("gflops")) / Double.parseDouble(ended.value("baseline_gflops"));
        assertEquals(ratio, Double.parseDouble(ended.value("ratio")), 1e-9);
    }

    @Test
    void shouldNotVerifyOnRequest() {
        CommandRun ended = run("--n", "20", "--ranks", "2", "--no-verify");

        ended.requireOk();
        assertEquals("not verified", ended.lastLine());
    }

    @Test
    void shouldEndWithCodeTwoIfAHeapCannotHoldTheMatrices() {
        System.setProperty("pgas.heap.device", "1m");
        try {
            CommandRun ended = run("--n", "600", "--ranks", "2");

            assertEquals(2, ended.code(), ended.err());
            assertTrue(ended.err().contains("matmul: no memory: "), ended.err());
        } finally {
            System.clearProperty("pgas.heap.device");
        }
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new Matmul(), args);
    }
}
