package org.pgas4j.examples.himeno;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.Options;
import org.pgas4j.examples.common.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: reads the options, starts the job, and says with its exit code whether the numbers were right. */
@Command(name = "himeno",
        header = "The Himeno benchmark on many devices, driven by their blocks and by the host.",
        exitCodeList = {Example.VERIFIED_CODE, Example.WRONG_CODE, Example.USAGE_CODE, Example.JOB_CODES})
public final class Himeno extends Example {

    private static final int DEFAULT_RANKS = 2;
    private static final long ROOM = 32L << 20;
    private static final double FLOP_PER_POINT = 34;

    /** The benchmark's sizes. */
    enum Size {
        XS(32, 32, 64), S(64, 64, 128), M(128, 128, 256), L(256, 256, 512), XL(512, 512, 1024);

        private final int planes;
        private final int rows;
        private final int columns;

        Size(int planes, int rows, int columns) {
            this.planes = planes;
            this.rows = rows;
            this.columns = columns;
        }
    }

    @Option(names = "--ranks", order = FIRST, paramLabel = "N", description = "ranks (default: " + DEFAULT_RANKS + ")")
    private Integer ranks;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "XS",
            description = "of the benchmark: XS 32x32x64, S, M, L, XL (default: ${DEFAULT-VALUE})")
    private Size size;

    @Option(names = "--grid", paramLabel = "IxJxK", description = "whole grid instead, boundary included")
    private String grid;

    @Option(names = "--per-rank", paramLabel = "IxJxK", description = "planes that each rank computes, rows, columns instead")
    private String perRank;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,host",
            description = "blocks, host (default: ${DEFAULT-VALUE})")
    private List<Settings.Style> styles;

    @Option(names = "--iterations", paramLabel = "K", defaultValue = "20",
            description = "of a run (default: ${DEFAULT-VALUE})")
    private int iterations;

    @Option(names = "--runs", paramLabel = "K", defaultValue = "5", description = "measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--blocks", paramLabel = "B", defaultValue = "0",
            description = "of a rank; 0: one for each multiprocessor (default: ${DEFAULT-VALUE})")
    private int blocks;

    @Option(names = "--threads", paramLabel = "T", defaultValue = "256", description = "of a block (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--proxy", description = "borders of block ranks take the way through the host")
    private boolean proxy;

    @Option(names = "--verify", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "compare with plain loops in Java (default: yes)")
    private boolean verify;

    private Himeno(PrintStream out, PrintStream err) {
        super(out, err);
    }

    public static void main(String[] args) {
        exit(run(List.of(args), System.out, System.err));
    }

    static int run(List<String> args, PrintStream out, PrintStream err) {
        return new Himeno(out, err).run(args);
    }

    @Override
    protected PgasConfig config() {
        int count = Options.ranks(ranks, DEFAULT_RANKS, 1, "");
        Settings settings = settings(count);
        long heap = Math.max(settings.deviceHeap(count), ranks == null ? settings(1).deviceHeap(1) : 0);   // a launcher may say 1
        return onDevice(new PgasConfig().ranks(count).deviceHeap(heap + ROOM)
                .timeout(Duration.ofSeconds(60 + (long) (1e-8 * settings.points() * iterations))));
    }

    private Settings settings(int count) {
        if (grid != null && perRank != null) {
            throw new UsageException("--grid and --per-rank: give one or the other");
        }
        int[] sides = grid != null ? sides("--grid", grid) : perRank != null ? sides("--per-rank", perRank)
                : new int[] {size.planes, size.rows, size.columns};
        Settings settings = perRank != null ? Settings.perRank(sides[0], sides[1], sides[2], count)
                : Settings.of(sides[0], sides[1], sides[2]);
        return settings.repeated(iterations, runs).blocks(blocks, threads, proxy).verify(verify);
    }

    private static int[] sides(String option, String text) {
        Matcher matcher = Pattern.compile("([0-9]{1,6})x([0-9]{1,6})x([0-9]{1,6})").matcher(text);
        if (!matcher.matches()) {
            throw new UsageException(option + " " + text + " (expected: three numbers such as 32x64x64)");
        }
        return new int[] {Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
            Integer.parseInt(matcher.group(3))};
    }

    @Override
    protected void program(Rank rank) {
        Settings settings = settings(rank.ranks());
        if (rank.rank() == 0 && !json()) {
            print("Himeno %d x %d x %d, %d iterations, %d ranks on %s (%s)%n%n", settings.planes(),
                    settings.rows(), settings.columns(), iterations, rank.ranks(), rank.device().backend(),
                    rank.device().name());
            print("%-7s %18s %10s %15s %14s %14s  %s%n", "style", "us per iteration", "GFLOP/s",
                    "CPU us per it.", "gosa", "expected", "");
        }
        for (Settings.Style style : styles) {
            Result result = HimenoRun.run(rank, settings.style(style));
            if (rank.rank() == 0) {
                report(rank, settings.style(style), result);
            }
        }
    }

    private void report(Rank rank, Settings settings, Result result) {
        Times iteration = Times.of(result.ns(), result.cpuNs()).per(iterations);
        double us = iteration.medianUs();
        double gflops = FLOP_PER_POINT * settings.points() / us / 1e3;
        if (json()) {
            print(new JsonLine().add("style", settings.style()).add("planes", settings.planes()).add("rows", settings.rows())
                    .add("columns", settings.columns()).add("ranks", rank.ranks()).add("device", rank.device().backend().toString())
                    .add("iterations", iterations).add("runs", runs).add("blocks", blocks).add("threads", threads)
                    .add("proxy", proxy).add("us_per_iteration", us, 3).add("gflops", gflops, 3)
                    .add("cpu_us_per_iteration", iteration.cpuUs(), 3).add("gosa", result.gosa())
                    .add("expected", result.expected()).add("published", result.published()).add("pressure_error", result.pressureError())
                    .add("correct", result.correct()));
        } else {
            print("%-7s %18.1f %10.2f %15.1f %14.6e %14s  %s%n", settings.style(), us, gflops, iteration.cpuUs(),
                    result.gosa(), verify ? String.format(Locale.ROOT, "%.6e", result.expected()) : "-",
                    !result.correct() ? "WRONG" : !verify ? "not verified" : "verified");
            if (!Double.isNaN(result.published())) {
                print("%-7s %18s %10s %15s %14s %14.6e  published%n", "", "", "", "", "", result.published());
            }
        }
        if (!result.correct()) {
            wrong("the result of style " + settings.style() + " is wrong: gosa " + result.gosa() + " (expected: "
                    + result.expected() + ", published: " + result.published() + "), largest error of a pressure " + result.pressureError());
        }
    }
}
