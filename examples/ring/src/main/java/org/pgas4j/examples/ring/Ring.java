package org.pgas4j.examples.ring;

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
@Command(name = "ring",
        header = "Sends a token round all blocks of all devices, or all ranks; each adds one.",
        exitCodeList = {"0:done, every token right",
            "1:a token is wrong, or a failure without a code of its own",
            Example.USAGE_CODE, Example.JOB_CODES})
public final class Ring extends Example {

    @Option(names = {"--ranks", "-n"}, order = FIRST, paramLabel = "N", defaultValue = "2",
            description = "ranks, if not started by pgasrun (default: ${DEFAULT-VALUE})")
    private int ranks;

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

    private Ring(PrintStream out, PrintStream err) {
        super(out, err);
    }

    public static void main(String[] args) {
        exit(run(List.of(args), System.out, System.err));
    }

    static int run(List<String> args, PrintStream out, PrintStream err) {
        return new Ring(out, err).run(args);
    }

    @Override
    protected PgasConfig config() {
        Options.atLeast(1, "--ranks", ranks);
        styles.forEach(style -> bytes.forEach(size -> settings(style, size, hostAsked())));
        return onDevice(new PgasConfig().ranks(ranks));
    }

    private Settings settings(Style style, int size, boolean onHost) {
        return new Settings(style, size, rounds, blocks != null ? blocks : onHost ? 2 : 64, threads, proxy, warmup, runs);
    }

    @Override
    protected void program(Rank rank) {
        boolean first = rank.rank() == 0;
        String backend = rank.device().backend();
        if (first && !json()) {
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
        Times hop = Times.of(result.ns(), result.cpuNs()).per(result.hops());
        if (json()) {
            print(new JsonLine().add("example", "ring").add("style", settings.style()).add("device", rank.device().backend().toString())
                    .add("ranks", rank.ranks()).add("bytes", settings.bytes()).add("rounds", settings.rounds())
                    .add("blocks", settings.blocks()).add("threads", settings.threads()).add("proxy", settings.proxy())
                    .add("runs", settings.runs()).add("hops", result.hops()).add("median_us_per_hop", hop.medianUs(), 4)
                    .add("min_us_per_hop", hop.minUs(), 4).add("cpu_us_per_hop", hop.cpuUs(), 4)
                    .add("checked", result.checked()));
        } else {
            print("%8s  %11d  %8d  %15.3f  %13.3f  %14.3f  %d, %s%n", settings.style(), settings.bytes(), result.hops(),
                    hop.medianUs(), hop.minUs(), hop.cpuUs(), result.shown(), result.checked() ? "right" : "WRONG");
        }
        if (!result.checked()) {
            wrong("a token of style " + settings.style() + " with " + settings.bytes()
                    + " bytes is wrong; the last shows " + result.shown() + " (expected: " + result.hops()
                    + "; -1: its other bytes have changed)");
        }
    }
}
