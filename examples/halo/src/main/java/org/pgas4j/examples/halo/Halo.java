package org.pgas4j.examples.halo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.Options;
import org.pgas4j.examples.common.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: reads the options, starts the job, and says with its exit code whether the numbers were right. */
@Command(name = "halo",
        header = "Pack, send, interior, receive, unpack: a stencil's loop started by host, stream, kernel and block ranks.",
        exitCodeList = {Example.VERIFIED_CODE, Example.WRONG_CODE, Example.USAGE_CODE, Example.JOB_CODES})
public final class Halo extends Example {

    private static final int DEFAULT_RANKS = 2;
    private static final long ROOM = 32L << 20;

    @Option(names = "--ranks", order = FIRST, paramLabel = "N", description = "ranks (default: " + DEFAULT_RANKS + ")")
    private Integer ranks;

    @Option(names = "--side", paramLabel = "N", split = ",", defaultValue = "64",
            description = "of each rank's box, N x N x N floats (default: ${DEFAULT-VALUE})")
    private List<Integer> sides;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "sync,stream,graph,kernel,triggered,blocks",
            description = "sync, stream, graph, kernel, triggered, blocks (default: ${DEFAULT-VALUE})")
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

    private Halo(PrintStream out, PrintStream err) {
        super(out, err);
    }

    public static void main(String[] args) {
        exit(run(List.of(args), System.out, System.err));
    }

    static int run(List<String> args, PrintStream out, PrintStream err) {
        return new Halo(out, err).run(args);
    }

    @Override
    protected PgasConfig config() {
        int count = Options.ranks(ranks, DEFAULT_RANKS, 1, "");
        long heap = sides.stream().mapToLong(side -> settings(side).deviceHeap()).max().orElseThrow();
        long points = sides.stream().mapToLong(side -> settings(side).box()).max().orElseThrow() * count;
        return onDevice(new PgasConfig().ranks(count).deviceHeap(heap + ROOM)
                .timeout(Duration.ofSeconds(60 + (long) (1e-8 * points * periods))));
    }

    private Settings settings(int side) {
        return Settings.of(side).repeated(periods, runs).blocks(blocks, threads, proxy).verify(verify);
    }

    @Override
    protected void program(Rank rank) {
        if (rank.rank() == 0 && !json()) {
            print("Halo exchange, %d periods, ring of %d ranks on %s (%s)%n%n", periods, rank.ranks(),
                    rank.device().backend(), rank.device().name());
            print("%-9s %6s %15s %18s  %s%n", "style", "side", "us per period", "CPU us per period", "");
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
        Times period = Times.of(result.ns(), result.cpuNs()).per(periods);
        if (json()) {
            print(new JsonLine().add("style", settings.style()).add("side", settings.side()).add("periods", periods)
                    .add("runs", runs).add("ranks", rank.ranks()).add("device", rank.device().backend().toString()).add("blocks", blocks)
                    .add("threads", threads).add("proxy", proxy).add("us_per_period", period.medianUs(), 3)
                    .add("cpu_us_per_period", period.cpuUs(), 3).add("wrong", result.wrong())
                    .add("correct", result.correct()));
        } else {
            print("%-9s %6d %15.1f %18.1f  %s%n", settings.style(), settings.side(), period.medianUs(), period.cpuUs(),
                    !verify ? "not verified" : result.correct() ? "verified" : "WRONG");
        }
        if (!result.correct()) {
            wrong("the result of style " + settings.style() + " with side " + settings.side() + " is wrong: "
                    + result.wrong() + " values (expected: 0)");
        }
    }
}
