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
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;
import org.pgas4j.examples.himeno.Himeno.HimenoResult;
import org.pgas4j.examples.himeno.Himeno.HimenoStyle;

/** Whole runs on the host device, ranks as threads, and what is refused before. */
@Timeout(300)
class HimenoTest {

    private static final RunSettings RUNS = new RunSettings(0, 256, false, 1, 1, true);
    private static final Timing NONE = new Timing(new long[1], 0, 0);

    @ParameterizedTest
    @CsvSource({
        "host,   1, 0, 12x9x7,  4",
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
        run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--grid", grid, "--iterations", "" + iterations,
                "--runs", "2", "--json").requireLines(1, "\"pressure_error\": 0.0, \"correct\": true");
    }

    /** Rank 0's planes between the borders wait until rank 1 has done its iteration, for which it needs a border plane of rank 0's. */
    @Test
    void shouldSendBordersWhileThePlanesBetweenAreComputed() {
        HimenoCase of = new HimenoCase(HimenoStyle.HOST, 12, 9, 7, 1, RUNS);
        CountDownLatch received = new CountDownLatch(1);
        Kernel waits = new Kernel("waits", "", (_, _) -> {
            try {
                received.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).deviceHeap(of.deviceHeap(2) + (1 << 20))
                .timeout(Duration.ofSeconds(20)), rank -> {
            HostSolver solver = new HostSolver(rank, of);
            solver.reset();
            rank.barrier();
            if (rank.rank() == 0) {
                rank.stream().launch(waits, new Kernel.Shape(1, 1));
            }
            solver.run();
            received.countDown();
            assertEquals(HimenoReference.of(of).gosa(), solver.gosa(), 1e-12);
            solver.close();
        });
    }

    @Test
    @Tag("slow")
    void shouldComputeThePublishedResidual() {
        run("--style", "blocks", "--blocks", "1", "--grid", "64x64x128", "--iterations", "64", "--runs", "1", "--warmup", "0",
                "--json")
                .requireLines(1, "\"published\": 0.002395185,").requireLines(1, "\"correct\": true");
    }

    /** Squares added up one after the other in float, as the published program does. */
    @Test
    @Tag("slow")
    void shouldHaveAllDigitsOfThePublishedResidualInItsReference() {
        HimenoCase last = new HimenoCase(HimenoStyle.HOST, 64, 64, 128, 64, RUNS);
        HimenoCase before = new HimenoCase(HimenoStyle.HOST, 64, 64, 128, 63, RUNS);
        float[][] p = HimenoReference.of(before).pressure();
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
        assertEquals(String.format(Locale.ROOT, "%.6e", last.published()), String.format(Locale.ROOT, "%.6e", gosa));
        assertEquals(Double.NaN, before.published());
    }

    @ParameterizedTest
    @CsvSource({"2, 3, 12x9x7", "3, 4, 6x9x7"})
    void shouldComputeTheSameThroughTheHost(int ranks, int blocks, String grid) {
        run("--style", "blocks", "--proxy", "--ranks", "" + ranks, "--blocks", "" + blocks, "--grid", grid, "--iterations", "3",
                "--runs", "1", "--warmup", "0", "--json").requireLines(1, "\"pressure_error\": 0.0, \"correct\": true");
    }

    @Test
    void shouldGiveEveryRankItsPlanes() {
        run("--per-rank", "3x8x8", "--style", "host", "--iterations", "2", "--runs", "1", "--json")
                .requireLines(1, "\"planes\": 8, \"rows\": 8, \"columns\": 8,");
    }

    @Test
    void shouldCallOtherNumbersWrong() {
        assertTrue(new HimenoResult(NONE, 1.0, 1.0, 0, Double.NaN).correct());
        assertTrue(new HimenoResult(NONE, 1.0, Double.NaN, Double.NaN, Double.NaN).correct());
        assertTrue(new HimenoResult(NONE, 1.0, Double.NaN, Double.NaN, 1.0005).correct());
        assertFalse(new HimenoResult(NONE, 1.0, 1.0, 0, 1.002).correct());
        assertFalse(new HimenoResult(NONE, 1.1, 1.0, 0, Double.NaN).correct());
        assertFalse(new HimenoResult(NONE, 1.0, 1.0, 1e-3, Double.NaN).correct());
        assertFalse(new HimenoResult(NONE, Double.NaN, 1.0, 0, Double.NaN).correct());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--grid 4x4                       | --grid 4x4 (expected: three numbers such as 32x64x64)",
        "--grid 4x4x4 --per-rank 4x4x4    | --grid and --per-rank: give one or the other",
        "--grid 2x4x4                     | planes of the grid: 2 (expected: >= 3)",
        "--iterations 0                   | --iterations 0 (expected: >= 1)",
        "--grid 5x9x9 --ranks 4           | more ranks than planes: 4 ranks, 3 planes",
        "--style fast                     | Invalid value for option '--style'",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        run(args.split(" +")).requireRefused("himeno: " + message);
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new Himeno(), "--per-rank");
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new Himeno(), args);
    }
}
