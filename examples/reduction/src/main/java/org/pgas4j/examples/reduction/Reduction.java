package org.pgas4j.examples.reduction;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command. */
@Command(name = "reduction", mixinStandardHelpOptions = true, version = "pgas4j reduction 0.1", sortOptions = false,
        header = "Adds up a vector spread over the blocks of all devices.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, every sum exact",
            "1:a sum is wrong, or a failure without a code of its own",
            "2:an option is wrong, or memory does not suffice",
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout"})
public final class Reduction {

    private static final int OK = 0;
    private static final int WRONG = 1;
    private static final int USAGE = 2;
    private static final String RUNTIME_OPTION = "--pgas.";

    @Option(names = {"--ranks", "-n"}, paramLabel = "N", defaultValue = "2",
            description = "ranks, if not started by pgasrun (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,host",
            description = "blocks: one kernel whose blocks communicate; host: a kernel, then the host (default: ${DEFAULT-VALUE})")
    private List<Style> styles;

    @Option(names = "--values", paramLabel = "N", defaultValue = "1000000",
            description = "values of each rank (default: ${DEFAULT-VALUE})")
    private long values;

    @Option(names = "--blocks", paramLabel = "N", description = "blocks of each rank (default: 64, on the host device 4)")
    private Integer blocks;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "128",
            description = "threads of a block, a multiple of 32 (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--proxy", description = "blocks of different ranks reach each other through the host only")
    private boolean proxy;

    @Option(names = "--runs", paramLabel = "N", defaultValue = "10", description = "sums measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--warmup", paramLabel = "N", defaultValue = "2",
            description = "sums before those (default: ${DEFAULT-VALUE})")
    private int warmup;

    @Option(names = "--json", description = "one JSON object a line")
    private boolean json;

    private final PrintStream out;
    private final PrintStream err;
    private int code = OK;

    private Reduction(PrintStream out, PrintStream err) {
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
        Reduction command = new Reduction(out, err);
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
            PgasConfig config = command.config();
            Pgas.run(config, command::program);
            return command.code;
        } catch (ParameterException | UsageException e) {
            err.println("reduction: " + e.getMessage());
            err.println("Try 'reduction --help'.");
            return USAGE;
        } catch (SegmentMemoryException e) {
            err.println("reduction: no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            err.println("reduction: " + e.getMessage());
            if (e.exitCode() == WRONG && e.getCause() != null) {
                e.getCause().printStackTrace(err);   // nobody foresaw it
            }
            return e.exitCode();
        }
    }

    private static String[] takeRuntimeOptions(List<String> args) {
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (arg.startsWith(RUNTIME_OPTION) && equals > 0) {
                System.setProperty(arg.substring(2, equals), arg.substring(equals + 1));
            }
        }
        return args.stream().filter(arg -> !arg.startsWith(RUNTIME_OPTION) || arg.indexOf('=') < 0).toArray(String[]::new);
    }

    /** What the job needs to know; checks the options, so that wrong ones start nothing. */
    private PgasConfig config() {
        if (ranks < 1) {
            throw new UsageException("--ranks " + ranks + " (expected: >= 1)");
        }
        if (device != null && !device.matches("auto|host|cuda")) {
            throw new UsageException("--device " + device + " (expected: auto, host or cuda)");
        }
        styles.forEach(style -> settings(style, "host".equals(device)));
        PgasConfig config = new PgasConfig().ranks(ranks);
        return device == null ? config : config.device(device);
    }

    private Settings settings(Style style, boolean onHost) {
        return new Settings(style, values, blocks != null ? blocks : onHost ? 4 : 64, threads, proxy, warmup, runs);
    }

    private void program(Rank rank) {
        boolean first = rank.rank() == 0;
        String backend = rank.device().backend();
        if (first && !json) {
            print("sum of %d x %d values, %d %s on %s (%s)%n%n%8s  %11s  %11s  %11s  %13s  %s%n", rank.ranks(), values,
                    rank.ranks(), rank.ranks() == 1 ? "rank" : "ranks", rank.device().name(), backend, "style", "median [us]",
                    "min [us]", "max [us]", "CPU [us/run]", "sum");
        }
        for (Style style : styles) {
            Settings settings = settings(style, backend.equals("host"));
            Result result = ReductionRun.run(rank, settings);
            if (first) {
                report(rank, settings, result);
            }
        }
    }

    private void report(Rank rank, Settings settings, Result result) {
        long[] sorted = result.ns().clone();
        Arrays.sort(sorted);
        double median = sorted[sorted.length / 2] / 1e3;
        double min = sorted[0] / 1e3;
        double max = sorted[sorted.length - 1] / 1e3;
        double cpu = result.cpuNs() / 1e3 / sorted.length;
        if (json) {
            print("{\"example\": \"reduction\", \"style\": \"%s\", \"device\": \"%s\", \"ranks\": %d, \"values\": %d,"
                    + " \"blocks\": %d, \"threads\": %d, \"proxy\": %b, \"runs\": %d, \"median_us\": %.3f, \"min_us\": %.3f, \"max_us\": %.3f,"
                    + " \"cpu_us\": %.3f, \"sum\": %d, \"checked\": %b}%n", settings.style(), rank.device().backend(),
                    rank.ranks(), settings.values(), settings.blocks(), settings.threads(), settings.proxy(), settings.runs(),
                    median, min, max, cpu, result.sum().whole(), result.checked());
        } else {
            print("%8s  %11.1f  %11.1f  %11.1f  %13.1f  %d, %s%n", settings.style(), median, min, max, cpu,
                    result.sum().whole(), result.checked() ? "exact" : "WRONG");
        }
        if (!result.checked()) {
            err.println("reduction: a sum of style " + settings.style() + " is wrong; the last is " + result.sum()
                    + " (expected: " + result.expected() + ")");
            code = WRONG;
        }
    }

    private void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
        out.flush();
    }
}
