package org.pgas4j.examples.himeno;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command: reads the options, starts the job, and says with its exit code whether the numbers were right. */
@Command(name = "himeno", mixinStandardHelpOptions = true, version = "pgas4j himeno 0.1", sortOptions = false,
        header = "The Himeno benchmark on many devices, driven by their blocks and by the host.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, and verified unless --no-verify was given",
            "1:the result is wrong, or a failure without a code of its own",
            "2:an option is wrong, or memory does not suffice",
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout"})
public final class Himeno {

    private static final int OK = 0;
    private static final int WRONG = 1;
    private static final int USAGE = 2;
    private static final int DEFAULT_RANKS = 2;
    private static final long ROOM = 32L << 20;
    private static final double FLOP_PER_POINT = 34;
    private static final String RUNTIME_OPTION = "--pgas.";

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

    @Option(names = "--ranks", paramLabel = "N", description = "ranks (default: " + DEFAULT_RANKS + ")")
    private Integer ranks;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

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

    @Option(names = "--json", description = "one JSON object a line")
    private boolean json;

    private final PrintStream out;
    private final PrintStream err;
    private volatile boolean wrong;

    private Himeno(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        int code = run(List.of(args), System.out, System.err);
        if (code != OK) {
            System.exit(code);   // not otherwise: under a launcher, to return is to have ended well
        }
    }

    /** Runs the command; returns its exit code. Arguments {@code --pgas.key=value} become system properties. */
    static int run(List<String> args, PrintStream out, PrintStream err) {
        Himeno command = new Himeno(out, err);
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        try {
            line.parseArgs(takeRuntimeOptions(args));
            if (line.isUsageHelpRequested()) {
                line.usage(out);
                return OK;
            }
            if (line.isVersionHelpRequested()) {
                line.printVersionHelp(out);
                return OK;
            }
            return command.execute();
        } catch (ParameterException | UsageException | IllegalArgumentException | ArithmeticException e) {
            err.println("himeno: " + e.getMessage());
            err.println("Try 'himeno --help'.");
            return USAGE;
        } catch (SegmentMemoryException | OutOfMemoryError e) {
            err.println("himeno: no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            err.println("himeno: " + e.getMessage());
            return e.exitCode();
        }
    }

    private static String[] takeRuntimeOptions(List<String> args) {
        List<String> rest = new ArrayList<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (arg.startsWith(RUNTIME_OPTION) && equals > 0) {
                System.setProperty(arg.substring(2, equals), arg.substring(equals + 1));
            } else {
                rest.add(arg);
            }
        }
        return rest.toArray(String[]::new);
    }

    private int execute() {
        if (device != null && !device.matches("auto|host|cuda")) {
            throw new UsageException("--device " + device + " (expected: auto, host or cuda)");
        }
        int count = ranks();
        Settings settings = settings(count);
        long heap = Math.max(settings.deviceHeap(count), ranks == null ? settings(1).deviceHeap(1) : 0);   // a launcher may say 1
        PgasConfig config = new PgasConfig().ranks(count).deviceHeap(heap + ROOM)
                .timeout(Duration.ofSeconds(60 + (long) (1e-8 * settings.points() * iterations)));
        if (device != null) {
            config.device(device);
        }
        Pgas.run(config, this::measure);
        return wrong ? WRONG : OK;
    }

    /** As the job's settings say, else the option, else the default. */
    private int ranks() {
        PgasConfig given = new PgasConfig().conclude();
        int chosen = ranks == null ? DEFAULT_RANKS : ranks;
        if (given.isSet(PgasKey.RANKS) && !given.isAuto(PgasKey.RANKS)) {
            chosen = given.count(PgasKey.RANKS);
        }
        if (chosen < 1 || ranks != null && ranks != chosen) {
            throw new UsageException("--ranks " + ranks + " (expected: >= 1, and what the job has: " + chosen + ")");
        }
        return chosen;
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

    private void measure(Rank rank) {
        Settings settings = settings(rank.ranks());
        if (rank.rank() == 0 && !json) {
            out.printf(Locale.ROOT, "Himeno %d x %d x %d, %d iterations, %d ranks on %s (%s)%n%n", settings.planes(),
                    settings.rows(), settings.columns(), iterations, rank.ranks(), rank.device().backend(),
                    rank.device().name());
            out.printf(Locale.ROOT, "%-7s %18s %10s %15s %14s %14s  %s%n", "style", "us per iteration", "GFLOP/s",
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
        long[] sorted = result.ns().clone();
        Arrays.sort(sorted);
        double us = sorted[sorted.length / 2] / 1e3 / iterations;
        double gflops = FLOP_PER_POINT * settings.points() / us / 1e3;
        double cpuUs = result.cpuNs() / 1e3 / iterations / runs;
        if (json) {
            out.printf(Locale.ROOT, "{\"style\": \"%s\", \"planes\": %d, \"rows\": %d, \"columns\": %d, \"ranks\": %d, "
                    + "\"device\": \"%s\", \"iterations\": %d, \"runs\": %d, \"blocks\": %d, \"threads\": %d, \"proxy\": %b, "
                    + "\"us_per_iteration\": %.3f, \"gflops\": %.3f, \"cpu_us_per_iteration\": %.3f, \"gosa\": %s, "
                    + "\"expected\": %s, \"pressure_error\": %s, \"correct\": %b}%n", settings.style(), settings.planes(),
                    settings.rows(), settings.columns(), rank.ranks(), rank.device().backend(), iterations, runs, blocks,
                    threads, proxy, us, gflops, cpuUs, number(result.gosa()), number(result.expected()),
                    number(result.pressureError()), result.correct());
        } else {
            out.printf(Locale.ROOT, "%-7s %18.1f %10.2f %15.1f %14.6e %14s  %s%n", settings.style(), us, gflops, cpuUs,
                    result.gosa(), verify ? String.format(Locale.ROOT, "%.6e", result.expected()) : "-",
                    !verify ? "not verified" : result.correct() ? "verified" : "WRONG");
        }
        if (!result.correct()) {
            wrong = true;
            err.println("himeno: the result of style " + settings.style() + " is wrong: gosa " + result.gosa() + " (expected: "
                    + result.expected() + "), largest error of a pressure " + result.pressureError());
        }
    }

    /** A number JSON cannot write, NaN or infinite, becomes null. */
    private static String number(double value) {
        return Double.isFinite(value) ? Double.toString(value) : "null";
    }
}
