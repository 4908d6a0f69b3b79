package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm.Precision;
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
    private static final double MAX_KERNEL_MS = 1000;

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
        /** A on every rank. */
        REPLICATED,
        /** Global matrices by {@link org.pgas4j.array.MatrixAlgorithm#PULL}. */
        PULL,
        /** Global matrices by {@link org.pgas4j.array.MatrixAlgorithm#REDUCE}. */
        REDUCE,
        /** Global matrices by {@link org.pgas4j.array.MatrixAlgorithm#SUMMA}. */
        SUMMA,
        /** Global matrices by {@link org.pgas4j.array.MatrixAlgorithm#CANNON}. */
        CANNON,
        /** Global matrices by the one that the library chooses. */
        AUTO;

        /** True if blocks of matrices may be dealt out in turn. */
        boolean takesBlocks() {
            return this != REPLICATED && this != REDUCE;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Operands that are kept transposed. */
    enum MatmulTransposed {
        NONE, A, B, AB;

        boolean isA() {
            return this == A || this == AB;
        }

        boolean isB() {
            return this == B || this == AB;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Type of the elements on the devices, and how products of them are rounded. */
    enum Dtype {
        F32(ElementType.FLOAT, Precision.FLOAT, 0x1p-24, 0x1p-24),
        F64(ElementType.DOUBLE, Precision.DOUBLE, 0x1p-53, 0x1p-53),
        /** Floats that take part with 10 bits of fraction. */
        TF32(ElementType.FLOAT, Precision.TF32, 0x1p-11, 0x1p-24),
        BF16(ElementType.BFLOAT16, Precision.BFLOAT16, 0x1p-8, 0x1p-24),
        F16(ElementType.HALF, Precision.HALF, 0x1p-11, 0x1p-24),
        /** Bytes, summed as ints. */
        INT8(ElementType.BYTE, Precision.INT8, 0, 0);

        private final ElementType type;
        private final Precision precision;
        private final double roundoff;
        private final double roundoffOfSums;

        Dtype(ElementType type, Precision precision, double roundoff, double roundoffOfSums) {
            this.type = type;
            this.precision = precision;
            this.roundoff = roundoff;
            this.roundoffOfSums = roundoffOfSums;
        }

        ElementType type() {
            return type;
        }

        Precision precision() {
            return precision;
        }

        /** Type of the elements of C. */
        ElementType resultType() {
            return precision.resultType();
        }

        /** Relative error of rounding a value to the precision of the elements. */
        double roundoff() {
            return roundoff;
        }

        /** The same of each addition. */
        double roundoffOfSums() {
            return roundoffOfSums;
        }

        /** Largest value of an element. */
        double largest() {
            return switch (this) {
                case F64 -> Double.MAX_VALUE;
                case F16 -> 65_504;
                case INT8 -> Byte.MAX_VALUE;
                case F32, TF32, BF16 -> Float.MAX_VALUE;
            };
        }

        /** A value as an element keeps it. */
        double kept(double value) {
            return type.is16BitFloat() ? type.toFloat(type.toBits((float) value)) : this == F64 ? value : (float) value;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The measurement, the same on all ranks.
     *
     * @param grid   ranks over the rows and over the columns of C; null: to be chosen
     * @param block  indices of a block of a global matrix, dealt out in turn; 0: one block for each rank
     * @param transposed global operands that are kept transposed
     * @param tile   rows and columns of the tiles of an irregular product; 0: a regular one
     * @param kernelMs mean time of the kernel that works on such a tile
     * @param gather whether global C is collected on rank 0's device
     * @param chunks pieces of a rank's columns; 0: to be chosen
     * @param out    file for C; null if not wanted
     */
    record MatmulCase(MatmulAlgorithm algorithm, MatmulStyle style, Dtype dtype, MatmulGrid grid, int block,
                      MatmulTransposed transposed, int tile, double kernelMs, boolean gather, int iterations, int warmup,
                      int chunks, boolean verify, boolean baseline, Path out, boolean json) {
    }

    @Option(names = "--processes", paramLabel = "N", defaultValue = "1", hidden = true)
    private int processes;

    @Option(names = "--a", paramLabel = "FILE", description = "A: Matrix Market or NumPy .npy")
    private Path a;

    @Option(names = "--b", paramLabel = "FILE", description = "B; A itself if left out")
    private Path b;

    @Option(names = "--n", paramLabel = "N", description = "random N x N matrices instead of files")
    private Integer n;

    @Option(names = "--shape", paramLabel = "M,N,K",
            description = "random M x K and K x N matrices, as global matrices")
    private String shapeText;

    @Option(names = "--seed", paramLabel = "SEED", defaultValue = "1",
            description = "of the random matrices (default: ${DEFAULT-VALUE})")
    private int seed;

    @Option(names = "--dtype", paramLabel = "TYPE", defaultValue = "f64",
            description = "f32 or f64; of global matrices also tf32, bf16, f16 or int8 (default: ${DEFAULT-VALUE})")
    private Dtype dtype;

    @Option(names = "--algorithm", paramLabel = "NAME",
            description = "replicated: A on every rank; on global matrices, which no rank has whole: pull, reduce, summa, cannon,"
                    + " or auto (default: replicated, and auto with options that need global matrices)")
    private MatmulAlgorithm wantedAlgorithm;

    @Option(names = "--grid", paramLabel = "PxQ",
            description = "global matrices: ranks over the rows and over the columns of C (default: chosen)")
    private String gridText;

    @Option(names = "--block", paramLabel = "NB", defaultValue = "0",
            description = "global matrices: rows and columns of a block, dealt out in turn; 0 gives each rank one"
                    + " (default: ${DEFAULT-VALUE})")
    private int block;

    @Option(names = "--transposed", paramLabel = "WHICH", defaultValue = "none",
            description = "global matrices that are kept transposed: none, a, b or ab (default: ${DEFAULT-VALUE})")
    private MatmulTransposed transposed;

    @Option(names = "--irregular",
            description = "tiles of C to whoever is free; each reads its tiles of A and B from ranks that compute")
    private boolean irregular;

    @Option(names = "--tile", paramLabel = "T", defaultValue = "64",
            description = "rows and columns of a tile of --irregular (default: ${DEFAULT-VALUE})")
    private int tile;

    @Option(names = "--kernel-ms", paramLabel = "MS", defaultValue = "1",
            description = "mean time of a kernel that works on each tile of --irregular (default: ${DEFAULT-VALUE})")
    private double kernelMs;

    @Option(names = "--gather", description = "global matrices: collect C on rank 0's device, as a part of the time")
    private boolean gather;

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
    private MatmulShape shape;
    private MatmulGrid grid;
    private MatmulAlgorithm algorithm;
    private boolean global;

    Matmul() {
        super(4);
    }

    public static void main(String[] args) {
        new Matmul().start(args);
    }

    @Override
    protected PgasConfig config() {
        checkOptions();
        checkGlobal();
        int fewest = ranksGiven() ? ranks() : 1;
        inputs = Inputs.load(a, b, shape, seed, dtype, Arena.ofAuto(), (name, rows, columns) -> {
            if (rows != columns) {
                throw new UsageException(name + ": " + rows + " x " + columns + " (expected: square)");
            }
            if (!global) {
                Columns.checkRanks(columns, fewest);
                memory(columns, fewest).check();
            }
        });
        MemoryNeed need = global ? MemoryNeed.ofGlobal(inputs, ranksGiven() ? ranks() : Math.min(ranks(), inputs.n()),
                matmulCase(), device()) : memory(inputs.n(), fewest);
        if (global) {
            need.check();
        }
        int count = ranksGiven() ? ranks() : Math.min(ranks(), inputs.n());
        double side = Math.cbrt((double) inputs.rows() * inputs.columns() * inputs.n());
        return onDevice(new PgasConfig().ranks(count).timeout(timeout(side))
                .deviceHeap(libraryOnly ? SMALL_HEAP : need.deviceHeap()).hostHeap(libraryOnly ? SMALL_HEAP : need.hostHeap()));
    }

    private void checkOptions() {
        OptionCheck.atLeast(1, "--iterations", iterations);
        OptionCheck.atLeast(0, "--warmup", warmup);
        OptionCheck.atLeast(0, "--chunks", chunks);
        OptionCheck.atLeast(0, "--block", block);
        OptionCheck.atLeast(1, "--tile", tile);
        if (!(kernelMs >= 0 && kernelMs <= MAX_KERNEL_MS)) {
            throw new UsageException("--kernel-ms " + kernelMs + " (expected: 0.." + MAX_KERNEL_MS + ")");
        }
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
        if (out != null) {
            Path parent = out.toAbsolutePath().getParent();
            if (Files.exists(out) && !Files.isRegularFile(out) || parent == null || !Files.isWritable(parent)) {
                throw new UsageException("--out " + out
                        + ": cannot be written (expected: a file in a directory that exists and is writable)");
            }
        }
    }

    /** Options of global matrices, and those that have no meaning with them. */
    private void checkGlobal() {
        if (shapeText != null && (n != null || a != null || b != null)) {
            throw new UsageException("--shape makes random matrices, --n square ones, --a and --b read files: give one of them");
        }
        shape = shapeText != null ? MatmulShape.of(shapeText) : n != null ? new MatmulShape(n, n, n) : null;
        grid = gridText == null ? null : MatmulGrid.of(gridText);
        boolean needed = shapeText != null || grid != null || block > 0 || gather || irregular
                || transposed != MatmulTransposed.NONE || dtype != Dtype.F32 && dtype != Dtype.F64;
        algorithm = wantedAlgorithm != null ? wantedAlgorithm : needed ? MatmulAlgorithm.AUTO : MatmulAlgorithm.REPLICATED;
        global = needed || algorithm != MatmulAlgorithm.REPLICATED;
        if (grid != null && ranksGiven() && grid.ranks() != ranks()) {
            throw new UsageException("--grid " + grid + " of " + grid.ranks() + " ranks (expected: " + ranks() + " ranks)");
        }
        if (global && (chunks > 0 || style == MatmulStyle.USER_LEVEL)) {
            throw new UsageException("--style user-level and --chunks have no meaning with global matrices");
        }
        if (irregular && (wantedAlgorithm != null || grid != null || block > 0 || gather || baseline || out != null
                || transposed != MatmulTransposed.NONE)) {
            throw new UsageException("--irregular takes neither --algorithm, --grid, --block, --transposed, --gather, --baseline"
                    + " nor --out");
        }
        if (transposed != MatmulTransposed.NONE && algorithm == MatmulAlgorithm.REPLICATED) {
            throw new UsageException("--transposed " + transposed + " has no meaning with --algorithm replicated");
        }
        if (block > 0 && !algorithm.takesBlocks()) {
            throw new UsageException("--block " + block + " with --algorithm " + algorithm
                    + " (expected: pull, summa, cannon or auto, in which matrices may lie in any blocks)");
        }
        if (out != null && dtype == Dtype.BF16) {
            throw new UsageException("--out: .npy has no bfloat16 (expected: another --dtype)");
        }
    }

    private MatmulCase matmulCase() {
        return new MatmulCase(algorithm, style, dtype, grid, block, transposed, irregular ? tile : 0, kernelMs, gather,
                iterations, warmup, chunks, verify, baseline, out, json());
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
        if (global) {
            double residual = irregular ? IrregularProgram.run(rank, inputs, matmulCase(), out())
                    : GlobalProgram.run(rank, inputs, matmulCase(), out());
            if (!(residual <= ColumnCheck.LIMIT)) {
                wrong("the result is wrong: scaled residual " + residual + " (expected: <= " + ColumnCheck.LIMIT + ")");
            }
            return;
        }
        MatmulMeasurement measurement = new MatmulMeasurement(rank, matmulCase(), inputs, out());
        MatmulSummary summary = style == MatmulStyle.RUNTIME ? MatmulProgram.run(rank, inputs, matmulCase(), measurement)
                : UserLevelProgram.run(rank, inputs, matmulCase(), measurement);
        if (summary != null && summary.failed()) {
            wrong("the result is wrong: relative error " + summary.relativeError() + " (expected: <= " + summary.tolerance() + ")");
        }
    }
}
