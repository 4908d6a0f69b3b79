package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.pgas4j.ElementType;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.OptionCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reads the options and the matrices, multiplies on all ranks, and reports. */
@Command(name = "matmul",
        header = "C = A*B on many ranks: B and C split by columns, A on every rank, C put to rank 0; or global matrices.",
        description = "Without --a and --n, A is bcsstk13 (2003 x 2003), which comes with the example.")
public final class Matmul extends Example {

    private static final long SMALL_HEAP = 16L << 20;

    /** Way of the product to rank 0. */
    enum MatmulStyle {
        /** Device memory put straight to rank 0. */
        RUNTIME,
        /** Written by hand: copy to the host, barrier, host put, barrier, copy to the device. */
        USER_LEVEL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Places of A, B and C, and who moves what. */
    enum MatmulAlgorithm {
        /** A on every rank, C put to rank 0. */
        REPLICATED,
        /** Global matrices by {@link org.pgas4j.array.MatrixAlgorithm#PULL}. */
        PULL,
        /** Global matrices by {@link org.pgas4j.array.MatrixAlgorithm#REDUCE}. */
        REDUCE,
        /** Global matrices by the one that moves less. */
        AUTO;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Type of the elements on the devices. */
    enum Dtype {
        F32(ElementType.FLOAT), F64(ElementType.DOUBLE);

        private final ElementType type;

        Dtype(ElementType type) {
            this.type = type;
        }

        ElementType type() {
            return type;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The measurement, the same on all ranks.
     *
     * @param chunks pieces of a rank's columns; 0: to be chosen
     * @param out    file for C; null if not wanted
     */
    record MatmulCase(MatmulAlgorithm algorithm, MatmulStyle style, Dtype dtype, int iterations, int warmup, int chunks,
                      boolean verify, boolean baseline, Path out, boolean json) {
    }

    @Option(names = "--processes", paramLabel = "N", defaultValue = "1", hidden = true)
    private int processes;

    @Option(names = "--a", paramLabel = "FILE", description = "A: Matrix Market or NumPy .npy")
    private Path a;

    @Option(names = "--b", paramLabel = "FILE", description = "B; A itself if left out")
    private Path b;

    @Option(names = "--n", paramLabel = "N", description = "random N x N matrices instead of files")
    private Integer n;

    @Option(names = "--seed", paramLabel = "SEED", defaultValue = "1",
            description = "of the random matrices (default: ${DEFAULT-VALUE})")
    private int seed;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "f64",
            description = "f32 or f64 (default: ${DEFAULT-VALUE})")
    private Dtype dtype;

    @Option(names = "--algorithm", paramLabel = "NAME", defaultValue = "replicated",
            description = "replicated: A on every rank, C put to rank 0; on global matrices, which no rank has whole: pull,"
                    + " reduce, or auto (default: ${DEFAULT-VALUE})")
    private MatmulAlgorithm algorithm;

    @Option(names = "--style", paramLabel = "STYLE", defaultValue = "runtime",
            description = "runtime, or user-level: copies, barriers and host puts written by hand (default: ${DEFAULT-VALUE})")
    private MatmulStyle style;

    @Option(names = "--iterations", paramLabel = "K", defaultValue = "5",
            description = "products measured, each one checked (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Option(names = "--warmup", paramLabel = "K", defaultValue = "1",
            description = "products before those (default: ${DEFAULT-VALUE})")
    private int warmup;

    @Option(names = "--chunks", paramLabel = "K", defaultValue = "0",
            description = "pieces of a rank's columns, one put while the next is computed; 0 chooses (default: ${DEFAULT-VALUE})")
    private int chunks;

    @Option(names = "--verify", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "check C against a product made without BLAS (default: yes)")
    private boolean verify;

    @Option(names = "--baseline", description = "also measure the plain library product on the same hardware")
    private boolean baseline;

    @Option(names = Baseline.LIBRARY_ONLY, hidden = true)
    private boolean libraryOnly;

    @Option(names = "--out", paramLabel = "FILE", description = "write C as .npy")
    private Path out;

    private Inputs inputs;

    Matmul() {
        super(4);
    }

    public static void main(String[] args) {
        new Matmul().start(args);
    }

    @Override
    protected PgasConfig config() {
        checkOptions();
        int fewest = ranksGiven() ? ranks() : 1;
        inputs = Inputs.load(a, b, n, seed, dtype, Arena.ofAuto(), (name, rows, columns) -> {
            if (rows != columns) {
                throw new UsageException(name + ": " + rows + " x " + columns + " (expected: square)");
            }
            Columns.checkRanks(columns, fewest);
            memory(columns, fewest).check();
        });
        MemoryNeed need = memory(inputs.n(), fewest);
        int count = ranksGiven() ? ranks() : Math.min(ranks(), inputs.n());
        return onDevice(new PgasConfig().ranks(count).timeout(timeout(inputs.n()))
                .deviceHeap(libraryOnly ? SMALL_HEAP : need.deviceHeap()).hostHeap(libraryOnly ? SMALL_HEAP : need.hostHeap()));
    }

    private void checkOptions() {
        OptionCheck.atLeast(1, "--iterations", iterations);
        OptionCheck.atLeast(0, "--warmup", warmup);
        OptionCheck.atLeast(0, "--chunks", chunks);
        OptionCheck.atLeast(1, "--n", n == null ? 1 : n);
        if (processes != 1) {
            throw new UsageException("--processes " + processes + ": this is one process; start several with "
                    + "scripts/matmul --processes " + processes + " or pgasrun");
        }
        if (n != null && (a != null || b != null)) {
            throw new UsageException("--n makes random matrices, --a and --b read files: give one or the other");
        }
        if (chunks > 0 && style == MatmulStyle.USER_LEVEL) {
            throw new UsageException("--chunks has no meaning with --style user-level");
        }
        if (algorithm != MatmulAlgorithm.REPLICATED && (chunks > 0 || style == MatmulStyle.USER_LEVEL)) {
            throw new UsageException("--style user-level and --chunks have no meaning with --algorithm " + algorithm);
        }
        if (out != null) {
            Path parent = out.toAbsolutePath().getParent();
            if (Files.exists(out) && !Files.isRegularFile(out) || parent == null || !Files.isWritable(parent)) {
                throw new UsageException("--out " + out
                        + ": cannot be written (expected: a file in a directory that exists and is writable)");
            }
        }
    }

    private MatmulCase matmulCase() {
        return new MatmulCase(algorithm, style, dtype, iterations, warmup, chunks, verify, baseline, out, json());
    }

    private MemoryNeed memory(int columns, int fewest) {
        return MemoryNeed.of(columns, fewest, ranks(), matmulCase(), device());
    }

    /** A minute, and the time of the whole product at 1 GFLOP/s: ranks wait for the slowest, and for the check. */
    private static Duration timeout(double size) {
        return Duration.ofSeconds(60 + (long) Math.min(1e9, 2e-9 * size * size * size));
    }

    @Override
    protected void program(Rank rank) throws Exception {
        if (libraryOnly) {
            Baseline.serve(rank, inputs, dtype.type(), out());
            return;
        }
        MatmulMeasurement measurement = new MatmulMeasurement(rank, matmulCase(), inputs, out());
        MatmulSummary summary = algorithm != MatmulAlgorithm.REPLICATED
                ? GlobalProgram.run(rank, inputs, matmulCase(), measurement)
                : style == MatmulStyle.RUNTIME ? MatmulProgram.run(rank, inputs, matmulCase(), measurement)
                : UserLevelProgram.run(rank, inputs, matmulCase(), measurement);
        if (summary != null && summary.failed()) {
            wrong("the result is wrong: relative error " + summary.relativeError() + " (expected: <= " + summary.tolerance() + ")");
        }
    }
}
