package org.pgas4j.examples.ring;

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
@Command(name = "ring", mixinStandardHelpOptions = true, version = "pgas4j ring 0.1", sortOptions = false,
        header = "Sends a token round all blocks of all devices, or all ranks; each adds one.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, every token right",
            "1:a token is wrong, or a failure without a code of its own",
            "2:an option is wrong, or memory does not suffice",
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout"})
public final class Ring {

    private static final int OK = 0;
    private static final int WRONG = 1;
    private static final int USAGE = 2;
    private static final String RUNTIME_OPTION = "--pgas.";

    @Option(names = {"--ranks", "-n"}, paramLabel = "N", defaultValue = "2",
            description = "ranks, if not started by pgasrun (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,stream,host,cpu",
            description = "blocks: all blocks, in one kernel; stream: the ranks' streams; host: the ranks' hosts between kernels;"
                    + " cpu: the ranks' hosts, token in host memory (default: ${DEFAULT-VALUE})")
    private List<Style> styles;

    @Option(names = "--bytes", paramLabel = "N", split = ",", defaultValue = "4,1024,65536",
            description = "size of the token; several are run one after the other (default: ${DEFAULT-VALUE})")
    private List<Integer> bytes;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "100",
            description = "rounds of the token in a run (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--blocks", paramLabel = "N", description = "blocks of each rank (default: 64, on the host device 2)")
    private Integer blocks;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "128",
            description = "threads of a block, a multiple of 32 (default: ${DEFAULT-VALUE})")
    private int threads;

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
    private int code = OK;

    private Ring(PrintStream out, PrintStream err) {
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
        Ring command = new Ring(out, err);
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
            err.println("ring: " + e.getMessage());
            err.println("Try 'ring --help'.");
            return USAGE;
        } catch (SegmentMemoryException e) {
            err.println("ring: no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            err.println("ring: " + e.getMessage());
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
        styles.forEach(style -> bytes.forEach(size -> settings(style, size, "host".equals(device))));
        PgasConfig config = new PgasConfig().ranks(ranks);
        return device == null ? config : config.device(device);
    }

    private Settings settings(Style style, int size, boolean onHost) {
        return new Settings(style, size, rounds, blocks != null ? blocks : onHost ? 2 : 64, threads, proxy, warmup, runs);
    }

    private void program(Rank rank) {
        boolean first = rank.rank() == 0;
        String backend = rank.device().backend();
        if (first && !json) {
            print("token ring, %d %s on %s (%s), %d rounds a run%n%n%8s  %11s  %8s  %15s  %13s  %14s  %s%n", rank.ranks(),
                    rank.ranks() == 1 ? "rank" : "ranks", rank.device().name(), backend, rounds, "style", "bytes", "hops",
                    "median [us/hop]", "min [us/hop]", "CPU [us/hop]", "token");
        }
        for (int size : bytes) {
            for (Style style : styles) {
                Settings settings = settings(style, size, backend.equals("host"));
                Result result = RingRun.run(rank, settings);
                if (first) {
                    report(rank, settings, result);
                }
            }
        }
    }

    private void report(Rank rank, Settings settings, Result result) {
        long[] sorted = result.ns().clone();
        Arrays.sort(sorted);
        double median = sorted[sorted.length / 2] / 1e3 / result.hops();
        double min = sorted[0] / 1e3 / result.hops();
        double cpu = result.cpuNs() / 1e3 / sorted.length / result.hops();
        if (json) {
            print("{\"example\": \"ring\", \"style\": \"%s\", \"device\": \"%s\", \"ranks\": %d, \"bytes\": %d, \"rounds\": %d,"
                    + " \"blocks\": %d, \"threads\": %d, \"proxy\": %b, \"runs\": %d, \"hops\": %d, \"median_us_per_hop\": %.4f,"
                    + " \"min_us_per_hop\": %.4f, \"cpu_us_per_hop\": %.4f, \"checked\": %b}%n", settings.style(),
                    rank.device().backend(), rank.ranks(), settings.bytes(), settings.rounds(), settings.blocks(),
                    settings.threads(), settings.proxy(), settings.runs(), result.hops(), median, min, cpu, result.checked());
        } else {
            print("%8s  %11d  %8d  %15.3f  %13.3f  %14.3f  %d, %s%n", settings.style(), settings.bytes(), result.hops(), median,
                    min, cpu, result.shown(), result.checked() ? "right" : "WRONG");
        }
        if (!result.checked()) {
            err.println("ring: a token of style " + settings.style() + " with " + settings.bytes()
                    + " bytes is wrong; the last shows " + result.shown() + " (expected: " + result.hops()
                    + "; -1: its other bytes have changed)");
            code = WRONG;
        }
    }

    private void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
        out.flush();
    }
}
