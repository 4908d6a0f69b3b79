package org.pgas4j.examples.halo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
@Command(name = "halo", mixinStandardHelpOptions = true, version = "pgas4j halo 0.1", sortOptions = false,
        header = "Pack, send, interior, receive, unpack: a stencil's loop started by host, stream, kernel and block ranks.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, and verified unless --no-verify was given",
            "1:the result is wrong, or a failure without a code of its own",
            "2:an option is wrong, or memory does not suffice",
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout"})
public final class Halo {

    private static final int OK = 0;
    private static final int WRONG = 1;
    private static final int USAGE = 2;
    private static final int DEFAULT_RANKS = 2;
    private static final long ROOM = 32L << 20;
    private static final String RUNTIME_OPTION = "--pgas.";

    @Option(names = "--ranks", paramLabel = "N", description = "ranks (default: " + DEFAULT_RANKS + ")")
    private Integer ranks;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--side", paramLabel = "N", split = ",", defaultValue = "64",
            description = "of each rank's box, N x N x N floats (default: ${DEFAULT-VALUE})")
    private List<Integer> sides;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "sync,stream,kernel,blocks",
            description = "sync, stream, kernel, blocks (default: ${DEFAULT-VALUE})")
    private List<Settings.Style> styles;

    @Option(names = "--periods", paramLabel = "K", defaultValue = "100", description = "of a run (default: ${DEFAULT-VALUE})")
    private int periods;

    @Option(names = "--runs", paramLabel = "K", defaultValue = "5", description = "measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--blocks", paramLabel = "B", defaultValue = "0",
            description = "of a rank; 0: one for each multiprocessor, 4 on the host device (default: ${DEFAULT-VALUE})")
    private int blocks;

    @Option(names = "--threads", paramLabel = "T", defaultValue = "256", description = "of a block (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--proxy", description = "what blocks send takes the way through the host")
    private boolean proxy;

    @Option(names = "--verify", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "compare with plain loops in Java (default: yes)")
    private boolean verify;

    @Option(names = "--json", description = "one JSON object a line")
    private boolean json;

    private final PrintStream out;
    private final PrintStream err;
    private volatile boolean wrong;

    private Halo(PrintStream out, PrintStream err) {
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
        Halo command = new Halo(out, err);
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
            err.println("halo: " + e.getMessage());
            err.println("Try 'halo --help'.");
            return USAGE;
        } catch (SegmentMemoryException | OutOfMemoryError e) {
            err.println("halo: no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            err.println("halo: " + e.getMessage());
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
        long heap = sides.stream().mapToLong(side -> settings(side).deviceHeap()).max().orElseThrow();
        long points = sides.stream().mapToLong(side -> settings(side).box()).max().orElseThrow() * count;
        PgasConfig config = new PgasConfig().ranks(count).deviceHeap(heap + ROOM)
                .timeout(Duration.ofSeconds(60 + (long) (1e-8 * points * periods)));
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

    private Settings settings(int side) {
        return Settings.of(side).repeated(periods, runs).blocks(blocks, threads, proxy).verify(verify);
    }

    private void measure(Rank rank) {
        if (rank.rank() == 0 && !json) {
            out.printf(Locale.ROOT, "Halo exchange, %d periods, ring of %d ranks on %s (%s)%n%n", periods, rank.ranks(),
                    rank.device().backend(), rank.device().name());
            out.printf(Locale.ROOT, "%-7s %6s %15s %18s  %s%n", "style", "side", "us per period", "CPU us per period", "");
        }
        for (int side : sides) {
            for (Settings.Style style : styles) {
                Settings settings = settings(side).style(style);
                Result result = HaloRun.run(rank, settings);
                if (rank.rank() == 0) {
                    report(rank, settings, result);
                }
            }
        }
    }

    private void report(Rank rank, Settings settings, Result result) {
        long[] sorted = result.ns().clone();
        Arrays.sort(sorted);
        double us = sorted[sorted.length / 2] / 1e3 / periods;
        double cpuUs = result.cpuNs() / 1e3 / periods / runs;
        if (json) {
            out.printf(Locale.ROOT, "{\"style\": \"%s\", \"side\": %d, \"periods\": %d, \"runs\": %d, \"ranks\": %d, "
                    + "\"device\": \"%s\", \"blocks\": %d, \"threads\": %d, \"proxy\": %b, \"us_per_period\": %.3f, "
                    + "\"cpu_us_per_period\": %.3f, \"wrong\": %d, \"correct\": %b}%n", settings.style(), settings.side(),
                    periods, runs, rank.ranks(), rank.device().backend(), blocks, threads, proxy, us, cpuUs, result.wrong(),
                    result.correct());
        } else {
            out.printf(Locale.ROOT, "%-7s %6d %15.1f %18.1f  %s%n", settings.style(), settings.side(), us, cpuUs,
                    !verify ? "not verified" : result.correct() ? "verified" : "WRONG");
        }
        if (!result.correct()) {
            wrong = true;
            err.println("halo: the result of style " + settings.style() + " with side " + settings.side() + " is wrong: "
                    + result.wrong() + " values (expected: 0)");
        }
    }
}
