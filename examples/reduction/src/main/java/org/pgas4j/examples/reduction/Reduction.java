package org.pgas4j.examples.reduction;

import java.io.PrintStream;
import java.util.List;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.Options;
import org.pgas4j.examples.common.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command. */
@Command(name = "reduction",
        header = "Adds up a vector spread over the blocks of all devices.",
        exitCodeList = {"0:done, every sum exact",
            "1:a sum is wrong, or a failure without a code of its own",
            Example.USAGE_CODE, Example.JOB_CODES})
public final class Reduction extends Example {

    @Option(names = {"--ranks", "-n"}, order = FIRST, paramLabel = "N", defaultValue = "2",
            description = "ranks, if not started by pgasrun (default: ${DEFAULT-VALUE})")
    private int ranks;

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

    private Reduction(PrintStream out, PrintStream err) {
        super(out, err);
    }

    public static void main(String[] args) {
        exit(run(List.of(args), System.out, System.err));
    }

    static int run(List<String> args, PrintStream out, PrintStream err) {
        return new Reduction(out, err).run(args);
    }

    @Override
    protected PgasConfig config() {
        Options.atLeast(1, "--ranks", ranks);
        styles.forEach(style -> settings(style, hostAsked()));
        return onDevice(new PgasConfig().ranks(ranks));
    }

    private Settings settings(Style style, boolean onHost) {
        return new Settings(style, values, blocks != null ? blocks : onHost ? 4 : 64, threads, proxy, warmup, runs);
    }

    @Override
    protected void program(Rank rank) {
        boolean first = rank.rank() == 0;
        String backend = rank.device().backend();
        if (first && !json()) {
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
        Times times = Times.of(result.ns(), result.cpuNs());
        if (json()) {
            print(new JsonLine().add("example", "reduction").add("style", settings.style())
                    .add("device", rank.device().backend().toString()).add("ranks", rank.ranks()).add("values", settings.values())
                    .add("blocks", settings.blocks()).add("threads", settings.threads()).add("proxy", settings.proxy())
                    .add("runs", settings.runs()).add("median_us", times.medianUs(), 3).add("min_us", times.minUs(), 3)
                    .add("max_us", times.maxUs(), 3).add("cpu_us", times.cpuUs(), 3).add("sum", result.sum().whole())
                    .add("checked", result.checked()));
        } else {
            print("%8s  %11.1f  %11.1f  %11.1f  %13.1f  %d, %s%n", settings.style(), times.medianUs(), times.minUs(),
                    times.maxUs(), times.cpuUs(), result.sum().whole(), result.checked() ? "exact" : "WRONG");
        }
        if (!result.checked()) {
            wrong("a sum of style " + settings.style() + " is wrong; the last is " + result.sum()
                    + " (expected: " + result.expected() + ")");
        }
    }
}
