package org.pgas4j.examples.himeno;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Kernel;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.examples.common.Ended;

/** Whole runs on the host device, ranks as threads, and what is refused before. */
@Timeout(300)
class HimenoTest {

    @ParameterizedTest
    @CsvSource({
        "host,   1, 0, 12x9x7,  4",
        "host,   3, 0, 12x9x7,  5",
        "host,   2, 0, 12x9x7,  1",
        "host,   3, 0, 5x9x7,   5",
        "host,   3, 0, 7x4x6,   6",
        "host,   4, 0, 13x9x7,  20",
        "blocks, 1, 1, 12x9x7,  4",
        "blocks, 1, 5, 4x9x7,   5",
        "blocks, 2, 3, 12x9x7,  5",
        "blocks, 3, 4, 6x9x7,   4",
        "blocks, 2, 4, 4x5x6,   3",
    })
    void shouldComputeWhatPlainLoopsCompute(String style, int ranks, int blocks, String grid, int iterations) {
        Ended ended = run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--grid", grid, "--iterations",
                "" + iterations, "--runs", "2", "--json");

        ended.requireLines(1);
        assertTrue(ended.out().contains("\"pressure_error\": 0.0, \"correct\": true"), ended.out());
    }

    /** Rank 0's planes between the borders wait until rank 1 has done its iteration, for which it needs a border plane of rank 0's. */
    @Test
    void shouldSendBordersWhileThePlanesBetweenAreComputed() {
        Settings settings = Settings.of(12, 9, 7).style(Settings.Style.HOST).repeated(1, 1);
        CountDownLatch received = new CountDownLatch(1);
        Kernel waits = new Kernel("waits", "", (_, _) -> {
            try {
                received.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).deviceHeap(settings.deviceHeap(2) + (1 << 20))
                .timeout(Duration.ofSeconds(20)), rank -> {
            Field field = new Field(rank, settings);
            HostSolver solver = new HostSolver(rank, field);
            field.reset();
            if (rank.rank() == 0) {
                rank.stream().launch(waits, new Kernel.Shape(1, 1));
            }
            solver.run();
            received.countDown();
            assertEquals(Reference.of(settings).gosa(), solver.gosa(), 1e-12);
            solver.close();
            field.free();
        });
    }

    @Test
    @Tag("slow")
    void shouldComputeThePublishedResidual() {
        Ended ended = run("--style", "blocks", "--ranks", "2", "--blocks", "1", "--grid", "64x64x128", "--iterations", "64", "--runs",
                "1", "--json");

        assertEquals(0, ended.code(), ended.err());
        assertTrue(ended.out().contains("\"published\": 0.002395185,"), ended.out());
        assertTrue(ended.out().contains("\"correct\": true"), ended.out());
    }

    /** Squares added up one after the other in float, as the published program does. */
    @Test
    @Tag("slow")
    void shouldHaveAllDigitsOfThePublishedResidualInItsReference() {
        Settings last = Settings.of(64, 64, 128).repeated(64, 1);
        float[][] p = Reference.of(last.repeated(63, 1)).pressure();
        float gosa = 0;
        for (int i = 1; i < last.planes() - 1; i++) {
            for (int j = 1; j < last.rows() - 1; j++) {
                for (int k = 1; k < last.columns() - 1; k++) {
                    int x = j * last.columns() + k;
                    float s0 = p[i + 1][x] + p[i][x + last.columns()] + p[i][x + 1] + p[i - 1][x] + p[i][x - last.columns()]
                            + p[i][x - 1];
                    float ss = s0 * (1f / 6) - p[i][x];
                    gosa += ss * ss;
                }
            }
        }
        assertEquals(String.format(Locale.ROOT, "%.6e", Published.gosa(last)), String.format(Locale.ROOT, "%.6e", gosa));
        assertEquals(Double.NaN, Published.gosa(last.repeated(63, 1)));
    }

    @ParameterizedTest
    @CsvSource({"2, 3, 12x9x7", "3, 4, 6x9x7"})
    void shouldComputeTheSameThroughTheHost(int ranks, int blocks, String grid) {
        Ended ended = run("--style", "blocks", "--proxy", "--ranks", "" + ranks, "--blocks", "" + blocks, "--grid", grid,
                "--iterations", "5", "--runs", "1", "--json");

        assertEquals(0, ended.code(), ended.err());
        assertTrue(ended.out().contains("\"pressure_error\": 0.0, \"correct\": true"), ended.out());
    }

    @Test
    void shouldGiveEveryRankItsPlanes() {
        Ended ended = run("--per-rank", "3x8x8", "--ranks", "2", "--style", "host", "--iterations", "2", "--runs", "1");

        assertEquals(0, ended.code(), ended.err());
        assertTrue(ended.out().startsWith("Himeno 8 x 8 x 8, 2 iterations, 2 ranks on host"), ended.out());
        assertTrue(ended.out().contains("verified"), ended.out());
    }

    @Test
    void shouldCallOtherNumbersWrong() {
        assertTrue(new Result(new long[1], 1.0, 1.0, 0, Double.NaN, 0).correct());
        assertTrue(new Result(new long[1], 1.0, Double.NaN, Double.NaN, Double.NaN, 0).correct());
        assertTrue(new Result(new long[1], 1.0, Double.NaN, Double.NaN, 1.0005, 0).correct());
        assertFalse(new Result(new long[1], 1.0, 1.0, 0, 1.002, 0).correct());
        assertFalse(new Result(new long[1], 1.1, 1.0, 0, Double.NaN, 0).correct());
        assertFalse(new Result(new long[1], 1.0, 1.0, 1e-3, Double.NaN, 0).correct());
        assertFalse(new Result(new long[1], Double.NaN, 1.0, 0, Double.NaN, 0).correct());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--bogus                          | Unknown option: '--bogus'",
        "--ranks 0                        | --ranks 0 (expected: >= 1",
        "--device tpu                     | --device tpu (expected: auto, host or cuda)",
        "--grid 4x4                       | --grid 4x4 (expected: three numbers such as 32x64x64)",
        "--grid 4x4x4 --per-rank 4x4x4    | --grid and --per-rank: give one or the other",
        "--grid 2x4x4                     | settings out of range",
        "--iterations 0                   | settings out of range",
        "--grid 5x9x9 --ranks 4           | more ranks than planes: 4 ranks, 3 planes",
        "--style fast                     | Invalid value for option '--style'",
    })
    void shouldEndWithCodeTwoAndOneClearLine(String args, String message) {
        run(args.split(" +")).requireRefused("himeno: " + message);
    }

    @Test
    void shouldPrintHelpAndVersionAndRefuseUnknownSettings() {
        Ended.requireStandards("himeno", Himeno::run, "--iterations");
    }

    private static Ended run(String... args) {
        return Ended.onHost(Himeno::run, args);
    }
}
