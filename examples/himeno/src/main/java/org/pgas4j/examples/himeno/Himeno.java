package org.pgas4j.examples.himeno;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.OptionCheck;
import org.pgas4j.examples.common.RunOptions;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the styles on one grid and reports the time of an iteration and the residual. */
@Command(name = "himeno", header = "The Himeno benchmark on many devices, driven by their blocks and by the host.")
public final class Himeno extends Example {

    private static final long ROOM = 32L << 20;
    private static final double FLOP_PER_POINT = 34;

    /** The benchmark's sizes. */
    enum GridSize {
        XS("32x32x64"), S("64x64x128"), M("128x128x256"), L("256x256x512"), XL("512x512x1024");

        private final String sides;

        GridSize(String sides) {
            this.sides = sides;
        }
    }

    /** Driver of the iterations. */
    public enum HimenoStyle {
        /** Block ranks: one launch for all iterations. */
        BLOCKS,
        /** The host: for each iteration border planes, their puts beside the planes between, and a wait. */
        HOST;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One measurement, the same on all ranks.
     *
     * @param planes     of the whole grid, the slowest index; the first and the last are boundary
     * @param rows       of a plane, with two of boundary
     * @param columns    of a row, with two of boundary; the fastest index
     * @param iterations of a run
     */
    public record HimenoCase(HimenoStyle style, int planes, int rows, int columns, int iterations, RunSettings runs) {

        /**
         * Residual of the benchmark's C version in LLVM's test suite (SingleSource/Benchmarks/Misc/himenobmtxpa), grid S, 64
         * iterations. It adds the squares up in float, one after the other; added up that way, {@link HimenoReference} gives all of
         * its digits.
         */
        private static final double PUBLISHED = 2.395185e-03;

        public HimenoCase {
            OptionCheck.atLeast(3, "planes of the grid:", planes);
            OptionCheck.atLeast(3, "rows of the grid:", rows);
            OptionCheck.atLeast(3, "columns of the grid:", columns);
            OptionCheck.atLeast(1, "--iterations", iterations);
        }

        /** Points that an iteration computes. */
        public long points() {
            return (planes - 2L) * (rows - 2) * (columns - 2);
        }

        /** Shared device memory that a rank needs, bytes. */
        public long deviceHeap(int ranks) {
            return 2 * Float.BYTES * capacity(ranks);
        }

        /** Planes that a rank computes: 1..count of its memory; 0 and count + 1 are its neighbours' planes or boundary. */
        int count(int ranks, int rank) {
            int inner = planes - 2;
            if (inner < ranks) {
                throw new UsageException("more ranks than planes: " + ranks + " ranks, " + inner
                        + " planes inside the grid (expected: ranks 1.." + inner + ")");
            }
            return inner / ranks + (rank < inner % ranks ? 1 : 0);
        }

        /** Plane of the grid that a rank's first is. */
        int first(int ranks, int rank) {
            int inner = planes - 2;
            return 1 + rank * (inner / ranks) + Math.min(rank, inner % ranks);
        }

        /** Floats of one pressure field of a rank; the same on all, so that a place has one address everywhere. */
        long capacity(int ranks) {
            return (count(ranks, 0) + 2L) * rows * columns;
        }

        /** The published residual; NaN if none is known. */
        double published() {
            return planes == 64 && rows == 64 && columns == 128 && iterations == 64 ? PUBLISHED : Double.NaN;
        }
    }

    /**
     * Result of a measurement.
     *
     * @param gosa          sum of the squared residuals of the last iteration
     * @param expected      the same of {@link HimenoReference}; NaN if not verified
     * @param pressureError largest difference of a pressure from the reference's; NaN if not verified
     * @param published     gosa as others published it; NaN if nobody did
     */
    public record HimenoResult(Timing timing, double gosa, double expected, double pressureError, double published) {

        /** Programs in CUDA C++ fuse multiplications and additions, others added up in float. */
        private static final double GOSA_TOLERANCE = 1e-3;
        private static final double PRESSURE_TOLERANCE = 1e-5;

        /** False if the numbers are wrong; true if they are right or were not verified. */
        public boolean correct() {
            boolean asPublished = Double.isNaN(published) || Math.abs(gosa - published) <= GOSA_TOLERANCE * published;
            return asPublished && (Double.isNaN(expected)
                    || Math.abs(gosa - expected) <= GOSA_TOLERANCE * expected && pressureError <= PRESSURE_TOLERANCE);
        }
    }

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "XS",
            description = "of the benchmark: XS 32x32x64, S, M, L, XL (default: ${DEFAULT-VALUE})")
    private GridSize size;

    @Option(names = "--grid", paramLabel = "IxJxK", description = "whole grid instead, boundary included")
    private String grid;

    @Option(names = "--per-rank", paramLabel = "IxJxK", description = "planes that each rank computes, rows, columns instead")
    private String perRank;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,host",
            description = "blocks, host (default: ${DEFAULT-VALUE})")
    private List<HimenoStyle> styles;

    @Option(names = "--iterations", paramLabel = "K", defaultValue = "20",
            description = "of a run (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Mixin
    private final RunOptions runs = new RunOptions(256, 5, 1);

    Himeno() {
        super(2);
    }

    public static void main(String[] args) {
        new Himeno().start(args);
    }

    @Override
    protected PgasConfig config() {
        HimenoCase of = himenoCase(HimenoStyle.HOST, ranks());
        long heap = Math.max(of.deviceHeap(ranks()), ranksGiven() ? 0 : himenoCase(HimenoStyle.HOST, 1).deviceHeap(1));
        return onDevice(new PgasConfig().ranks(ranks()).deviceHeap(heap + ROOM)
                .timeout(Duration.ofSeconds(60 + (long) (1e-8 * of.points() * iterations))));
    }

    private HimenoCase himenoCase(HimenoStyle style, int count) {
        if (grid != null && perRank != null) {
            throw new UsageException("--grid and --per-rank: give one or the other");
        }
        String text = grid != null ? grid : perRank != null ? perRank : size.sides;
        if (!text.matches("[0-9]{1,6}x[0-9]{1,6}x[0-9]{1,6}")) {
            throw new UsageException((grid != null ? "--grid " : "--per-rank ") + text
                    + " (expected: three numbers such as 32x64x64)");
        }
        int[] sides = List.of(text.split("x")).stream().mapToInt(Integer::parseInt).toArray();
        int planes = perRank != null ? Math.addExact(Math.multiplyExact(sides[0], count), 2) : sides[0];
        return new HimenoCase(style, planes, sides[1], sides[2], iterations, runs.settings(0));
    }

    /** Measures one case and compares its last run with the reference. Collective. */
    public static HimenoResult measure(Rank rank, HimenoCase of) {
        return measure(rank, of, BlockSolver::launch);
    }

    /** As {@link #measure(Rank, HimenoCase)}, with another program for {@link HimenoStyle#BLOCKS}. */
    public static HimenoResult measure(Rank rank, HimenoCase of, HimenoLaunch blocks) {
        Solver solver = of.style() == HimenoStyle.BLOCKS ? new BlockSolver(rank, of, blocks) : new HostSolver(rank, of);
        Timing timing = Timing.of(rank, of.runs(), solver);
        double gosa = solver.gosa();
        double expected = Double.NaN;
        double difference = Double.NaN;
        if (of.runs().verify()) {
            if (rank.rank() == 0) {
                HimenoReference reference = HimenoReference.of(of);
                expected = reference.gosa();
                difference = solver.difference(reference.pressure());
            }
            expected = Double.longBitsToDouble(rank.collectives().broadcast(Double.doubleToRawLongBits(expected), 0));
            difference = Double.longBitsToDouble(rank.collectives().broadcast(Double.doubleToRawLongBits(difference), 0));
        }
        solver.close();
        return new HimenoResult(timing, gosa, expected, difference, of.published());
    }

    @Override
    protected void program(Rank rank) {
        for (HimenoStyle style : styles) {
            HimenoCase of = himenoCase(style, rank.ranks());
            HimenoResult result = measure(rank, of);
            double us = result.timing().medianUs(iterations);
            report(rank, of.runs(), new JsonLine().add("style", style).add("planes", of.planes()).add("rows", of.rows())
                    .add("columns", of.columns()).add("iterations", iterations).add("us_per_iteration", us, 3)
                    .add("gflops", FLOP_PER_POINT * of.points() / us / 1e3, 3)
                    .add("cpu_us_per_iteration", result.timing().cpuUs(iterations), 3).add("gosa", result.gosa())
                    .add("expected", result.expected()).add("published", result.published())
                    .add("pressure_error", result.pressureError()).add("correct", result.correct()), result.correct());
        }
    }
}
