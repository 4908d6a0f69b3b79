package org.pgas4j.examples.stencil;

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
@Command(name = "stencil", mixinStandardHelpOptions = true, version = "pgas4j stencil 0.1", sortOptions = false,
        header = "Horizontal diffusion of a field, split by rows over devices and blocks.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, all styles and the CPU agree in every bit",
            "1:a result is wrong, or a failure without a code of its own",
            "2:an option is wrong, or memory does not suffice",
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout"})
public final class Stencil {

    private static final int OK = 0;
    private static final int WRONG = 1;
    private static final int USAGE = 2;
    private static final String RUNTIME_OPTION = "--pgas.";

    @Option(names = {"--ranks", "-n"}, paramLabel = "N", defaultValue = "2",
            description = "ranks, if not started by pgasrun (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,staged,fused,packed",
            description = "blocks: one kernel whose blocks exchange halos; the others are driven by the host, with a put for each"
                    + " level: staged: three kernels a step; fused: one; packed: one, and one put for all levels"
                    + " (default: ${DEFAULT-VALUE})")
    private List<Style> styles;

    @Option(names = "--i", paramLabel = "N", defaultValue = "128", description = "points in a row (default: ${DEFAULT-VALUE})")
    private int isize;

    @Option(names = "--j", paramLabel = "N", description = "rows of each rank (default: 320, on the host device 32)")
    private Integer jsize;

    @Option(names = "--levels", paramLabel = "N", defaultValue = "26", description = "levels (default: ${DEFAULT-VALUE})")
    private int levels;

    @Option(names = "--steps", paramLabel = "N", description = "steps of a run (default: 200, on the host device 20)")
    private Integer steps;

    @Option(names = "--blocks", paramLabel = "N",
            description = "blocks of each rank, at least two rows for each (default: a block for 4 rows, on the host device 2)")
    private Integer blocks;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "256",
            description = "threads of a block, a multiple of 32 (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--check-steps", paramLabel = "N", defaultValue = "3",
            description = "steps compared with the CPU before the first run (default: ${DEFAULT-VALUE})")
    private int checkSteps;

    @Option(names = "--proxy", description = "blocks of different ranks reach each other through the host only")
    private boolean proxy;

    @Option(names = "--runs", paramLabel = "N", defaultValue = "5", description = "runs measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--warmup", paramLabel = "N", defaultValue = "1",
            description = "runs before those (default: ${DEFAULT-VALUE})")
    private int warmup;

    @Option(names = "--json", description = "one JSON object a line")
    private boolean json;

    private final PrintStream out;
    private final PrintStream err;
    private Result reference;
    private Style referenceStyle;
    private int code = OK;

    private Stencil(PrintStream out, PrintStream err) {
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
        Stencil command = new Stencil(out, err);
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
            err.println("stencil: " + e.getMessage());
            err.println("Try 'stencil --help'.");
            return USAGE;
        } catch (SegmentMemoryException e) {
            err.println("stencil: no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            err.println("stencil: " + e.getMessage());
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
        int rows = jsize != null ? jsize : onHost ? 32 : 320;
        return new Settings(style, isize, rows, levels, steps != null ? steps : onHost ? 20 : 200,
                blocks != null ? blocks : onHost ? Math.min(2, rows / 2) : Math.max(1, rows / 4), threads, proxy, checkSteps,
                warmup, runs);
    }

    private void program(Rank rank) {
        boolean first = rank.rank() == 0;
        boolean onHost = rank.device().backend().equals("host");
        if (first && !json) {
            Settings settings = settings(styles.getFirst(), onHost);
            print("horizontal diffusion, %d x %d x %d points on each of %d %s, %d steps, on %s (%s)%n%n%8s  %16s  %14s  %14s  %10s"
                    + "  %s%n", settings.isize(), settings.jsize(), settings.levels(), rank.ranks(),
                    rank.ranks() == 1 ? "rank" : "ranks", settings.steps(), rank.device().name(), rank.device().backend(),
                    "style", "median [us/step]", "min [us/step]", "CPU [us/step]", "max error", "checksum");
        }
        for (Style style : styles) {
            Settings settings = settings(style, onHost);
            Result result = StencilRun.run(rank, settings);
            if (first) {
                report(rank, settings, result);
            }
        }
    }

    private void report(Rank rank, Settings settings, Result result) {
        if (reference == null) {
            reference = result;
            referenceStyle = settings.style();
        }
        boolean same = result.checksum() == reference.checksum();
        long[] sorted = result.ns().clone();
        Arrays.sort(sorted);
        double median = sorted[sorted.length / 2] / 1e3 / settings.steps();
        double min = sorted[0] / 1e3 / settings.steps();
        double cpu = result.cpuNs() / 1e3 / sorted.length / settings.steps();
        if (json) {
            print("{\"example\": \"stencil\", \"style\": \"%s\", \"device\": \"%s\", \"ranks\": %d, \"i\": %d, \"j\": %d,"
                    + " \"levels\": %d, \"steps\": %d, \"blocks\": %d, \"threads\": %d, \"proxy\": %b, \"runs\": %d,"
                    + " \"median_us_per_step\": %.3f, \"min_us_per_step\": %.3f, \"cpu_us_per_step\": %.3f, \"max_error\": %s,"
                    + " \"checksum\": \"%016x\", \"checked\": %b}%n", settings.style(), rank.device().backend(), rank.ranks(),
                    settings.isize(), settings.jsize(), settings.levels(), settings.steps(), settings.blocks(),
                    settings.threads(), settings.proxy(), settings.runs(), median, min, cpu, result.maxError(),
                    result.checksum(), result.checked() && same);
        } else {
            print("%8s  %16.2f  %14.2f  %14.2f  %10.1e  %016x%s%n", settings.style(), median, min, cpu, result.maxError(),
                    result.checksum(), result.checked() && same ? "" : " WRONG");
        }
        if (!result.checked()) {
            err.println("stencil: style " + settings.style() + " differs from the CPU by up to " + result.maxError() + " after "
                    + settings.checkSteps() + " steps (expected: 0)");
            code = WRONG;
        }
        if (!same) {
            err.println("stencil: the result of style " + settings.style() + " is not that of style " + referenceStyle
                    + " (expected: the same bits)");
            code = WRONG;
        }
    }

    private void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
        out.flush();
    }
}
