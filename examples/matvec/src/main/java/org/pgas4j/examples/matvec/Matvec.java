package org.pgas4j.examples.matvec;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command: reads the options, starts the job, and says with its exit code whether the numbers were right. */
@Command(name = "matvec", mixinStandardHelpOptions = true, version = "pgas4j matvec 0.1", sortOptions = false,
        header = "Batches of 32 x 32 matrix-vector products, served by other devices: by their blocks and by the hosts.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, and verified unless --no-verify was given",
            "1:the result is wrong, or a failure without a code of its own",
            "2:an option is wrong, or memory does not suffice",
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout"})
public final class Matvec {

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

    @Option(names = "--vectors", paramLabel = "V", split = ",", defaultValue = "480,960,1920,3840,7680,15360",
            description = "of a batch (default: ${DEFAULT-VALUE})")
    private List<Integer> vectors;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,host",
            description = "blocks, host (default: ${DEFAULT-VALUE})")
    private List<Settings.Style> styles;

    @Option(names = "--batches", paramLabel = "K", defaultValue = "64", description = "of a run (default: ${DEFAULT-VALUE})")
    private int batches;

    @Option(names = "--depth", paramLabel = "K", defaultValue = "2",
            description = "batches under way at once (default: ${DEFAULT-VALUE})")
    private int depth;

    @Option(names = "--runs", paramLabel = "K", defaultValue = "5", description = "measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--blocks", paramLabel = "B", defaultValue = "0",
            description = "of a rank; 0: one for each multiprocessor (default: ${DEFAULT-VALUE})")
    private int blocks;

    @Option(names = "--threads", paramLabel = "T", defaultValue = "256", description = "of a block (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--proxy", description = "what blocks send takes the way through the host")
    private boolean proxy;

    @Option(names = "--verify", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "compare every product with plain loops in Java (default: yes)")
    private boolean verify;

    @Option(names = "--json", description = "one JSON object a line")
    private boolean json;

    private final PrintStream out;
    private final PrintStream err;
    private volatile boolean wrong;

    private Matvec(PrintStream out, PrintStream err) {
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
        Matvec command = new Matvec(out, err);
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
            err.println("matvec: " + e.getMessage());
            err.println("Try 'matvec --help'.");
            return USAGE;
        } catch (SegmentMemoryException | OutOfMemoryError e) {
            err.println("matvec: no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            err.println("matvec: " + e.getMessage());
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
        long heap = vectors.stream().mapToLong(size -> settings(size).deviceHeap()).max().orElseThrow();
        PgasConfig config = new PgasConfig().ranks(count).deviceHeap(heap + ROOM);
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
        if (chosen < 2 || ranks != null && ranks != chosen) {
            throw new UsageException("--ranks " + (ranks == null ? chosen : ranks)
                    + " (expected: >= 2, a client and servers, and what the job has: " + chosen + ")");
        }
        return chosen;
    }

    private Settings settings(int size) {
        return Settings.of(size).repeated(batches, depth, runs).blocks(blocks, threads, proxy).verify(verify);
    }

    private void measure(Rank rank) {
        if (rank.rank() == 0 && !json) {
            out.printf(Locale.ROOT, "32 x 32 matrix-vector products, %d batches, %d under way, 1 client and %d servers on %s (%s)"
                    + "%n%n", batches, depth, rank.ranks() - 1, rank.device().backend(), rank.device().name());
            out.printf(Locale.ROOT, "%-7s %9s %14s %14s %17s  %s%n", "style", "vectors", "us per batch", "products/us",
                    "CPU us per batch", "");
        }
        for (int size : vectors) {
            for (Settings.Style style : styles) {
                Settings settings = settings(size).style(style);
                Result result = MatvecRun.run(rank, settings);
                long cpuNs = rank.allReduce(result.cpuNs(), ReduceOp.SUM);
                if (rank.rank() == 0) {
                    report(rank, settings, result, cpuNs);
                }
            }
        }
    }

    /** On the client; {@code cpuNs} is the time of all ranks' threads. */
    private void report(Rank rank, Settings settings, Result result, long cpuNs) {
        double rate = result.millionPerSecond(settings);
        double us = settings.vectors() / rate;
        double cpuUs = cpuNs / 1e3 / batches / runs;
        if (json) {
            out.printf(Locale.ROOT, "{\"style\": \"%s\", \"vectors\": %d, \"batches\": %d, \"depth\": %d, \"runs\": %d, "
                    + "\"ranks\": %d, \"device\": \"%s\", \"blocks\": %d, \"threads\": %d, \"proxy\": %b, \"us_per_batch\": %.3f, "
                    + "\"million_products_per_s\": %.3f, \"cpu_us_per_batch\": %.3f, \"wrong\": %d, \"correct\": %b}%n",
                    settings.style(), settings.vectors(), batches, depth, runs, rank.ranks(), rank.device().backend(), blocks,
                    threads, proxy, us, rate, cpuUs, result.wrong(), result.correct());
        } else {
            out.printf(Locale.ROOT, "%-7s %9d %14.1f %14.2f %17.1f  %s%n", settings.style(), settings.vectors(), us, rate, cpuUs,
                    !verify ? "not verified" : result.correct() ? "verified" : "WRONG");
        }
        if (!result.correct()) {
            wrong = true;
            err.println("matvec: the result of style " + settings.style() + " with " + settings.vectors() + " vectors is wrong: "
                    + result.wrong() + " values (expected: 0)");
        }
    }
}
