package org.pgas4j.examples.matvec;

import java.io.PrintStream;
import java.util.List;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: reads the options, starts the job, and says with its exit code whether the numbers were right. */
@Command(name = "matvec",
        header = "Batches of 32 x 32 matrix-vector products, served by other devices: by their blocks and by the hosts.",
        exitCodeList = {Example.VERIFIED_CODE, Example.WRONG_CODE, Example.USAGE_CODE, Example.JOB_CODES})
public final class Matvec extends Example {

    private static final int DEFAULT_RANKS = 2;
    private static final long ROOM = 32L << 20;

    @Option(names = "--ranks", order = FIRST, paramLabel = "N", description = "ranks (default: " + DEFAULT_RANKS + ")")
    private Integer ranks;

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

    private Matvec(PrintStream out, PrintStream err) {
        super(out, err);
    }

    public static void main(String[] args) {
        exit(run(List.of(args), System.out, System.err));
    }

    static int run(List<String> args, PrintStream out, PrintStream err) {
        return new Matvec(out, err).run(args);
    }

    @Override
    protected PgasConfig config() {
        int count = Options.ranks(ranks, DEFAULT_RANKS, 2, ", a client and servers");
        long heap = vectors.stream().mapToLong(size -> settings(size).deviceHeap()).max().orElseThrow();
        return onDevice(new PgasConfig().ranks(count).deviceHeap(heap + ROOM));
    }

    private Settings settings(int size) {
        return Settings.of(size).repeated(batches, depth, runs).blocks(blocks, threads, proxy).verify(verify);
    }

    @Override
    protected void program(Rank rank) {
        if (rank.rank() == 0 && !json()) {
            print("32 x 32 matrix-vector products, %d batches, %d under way, 1 client and %d servers on %s (%s)"
                    + "%n%n", batches, depth, rank.ranks() - 1, rank.device().backend(), rank.device().name());
            print("%-7s %9s %14s %14s %17s  %s%n", "style", "vectors", "us per batch", "products/us",
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
        if (json()) {
            print(new JsonLine().add("style", settings.style()).add("vectors", settings.vectors()).add("batches", batches)
                    .add("depth", depth).add("runs", runs).add("ranks", rank.ranks()).add("device", rank.device().backend().toString())
                    .add("blocks", blocks).add("threads", threads).add("proxy", proxy).add("us_per_batch", us, 3)
                    .add("million_products_per_s", rate, 3).add("cpu_us_per_batch", cpuUs, 3).add("wrong", result.wrong())
                    .add("correct", result.correct()));
        } else {
            print("%-7s %9d %14.1f %14.2f %17.1f  %s%n", settings.style(), settings.vectors(), us, rate, cpuUs,
                    !verify ? "not verified" : result.correct() ? "verified" : "WRONG");
        }
        if (!result.correct()) {
            wrong("the result of style " + settings.style() + " with " + settings.vectors() + " vectors is wrong: "
                    + result.wrong() + " values (expected: 0)");
        }
    }
}
