package org.pgas4j.examples.matvec;

import java.util.List;
import java.util.Locale;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.OptionCheck;
import org.pgas4j.examples.common.RunOptions;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the styles with batches of each size and reports the time of a batch. */
@Command(name = "matvec",
        header = "Batches of 32 x 32 matrix-vector products, served by other devices: by their blocks and by the hosts.")
public final class Matvec extends Example {

    private static final long ROOM = 32L << 20;

    /** Senders and servers. */
    public enum MatvecStyle {
        /** The blocks of the devices, in one launch. */
        BLOCKS,
        /** The hosts: puts, notifications, and a kernel for each batch. */
        HOST;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One measurement, the same on all ranks.
     *
     * @param vectors of a batch, {@link Products#SIDE} floats each
     * @param batches of a run
     * @param depth   batches under way at once
     */
    public record MatvecCase(MatvecStyle style, int vectors, int batches, int depth, RunSettings runs) {

        public MatvecCase {
            OptionCheck.atLeast(1, "--vectors", vectors);
            OptionCheck.atLeast(1, "--batches", batches);
            OptionCheck.atLeast(1, "--depth", depth);
        }

        /** Bytes of a batch. */
        long batchBytes() {
            return (long) vectors * Products.SIDE * Float.BYTES;
        }

        /** Shared device memory that a rank needs, bytes. */
        public long deviceHeap() {
            return 2 * Math.max(batches, depth) * batchBytes();
        }
    }

    @Option(names = "--vectors", paramLabel = "V", split = ",", defaultValue = "480,960,1920,3840,7680,15360",
            description = "of a batch (default: ${DEFAULT-VALUE})")
    private List<Integer> vectors;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,host",
            description = "blocks, host (default: ${DEFAULT-VALUE})")
    private List<MatvecStyle> styles;

    @Option(names = "--batches", paramLabel = "K", defaultValue = "64", description = "of a run (default: ${DEFAULT-VALUE})")
    private int batches;

    @Option(names = "--depth", paramLabel = "K", defaultValue = "2",
            description = "batches under way at once (default: ${DEFAULT-VALUE})")
    private int depth;

    @Mixin
    private final RunOptions runs = new RunOptions(256, 5, 1);

    Matvec() {
        super(2);
    }

    public static void main(String[] args) {
        new Matvec().start(args);
    }

    @Override
    protected PgasConfig config() {
        requireServer(ranks());
        long heap = vectors.stream().mapToLong(size -> matvecCase(MatvecStyle.HOST, size).deviceHeap()).max().orElseThrow();
        return onDevice(new PgasConfig().ranks(ranks()).deviceHeap(heap + ROOM));
    }

    private static void requireServer(int ranks) {
        if (ranks < 2) {
            throw new UsageException("--ranks " + ranks + " (expected: >= 2, a client and servers)");
        }
    }

    private MatvecCase matvecCase(MatvecStyle style, int size) {
        return new MatvecCase(style, size, batches, depth, runs.settings(0));
    }

    /** Measures and checks one case; rank 0 is the client, the others serve. Collective. */
    public static Timing measure(Rank rank, MatvecCase of) {
        return measure(rank, of, BlockMatvec::launch);
    }

    /** As {@link #measure(Rank, MatvecCase)}, with another program for {@link MatvecStyle#BLOCKS}. */
    public static Timing measure(Rank rank, MatvecCase of, MatvecLaunch blocks) {
        requireServer(rank.ranks());
        MatvecService service = of.style() == MatvecStyle.BLOCKS ? new BlockMatvec(rank, of, blocks) : new HostMatvec(rank, of);
        Timing timing = Timing.of(rank, of.runs(), service);
        service.close();
        return timing;
    }

    @Override
    protected void program(Rank rank) {
        for (int size : vectors) {
            for (MatvecStyle style : styles) {
                MatvecCase of = matvecCase(style, size);
                Timing timing = measure(rank, of);
                double us = timing.medianUs(batches);
                report(rank, of.runs(), new JsonLine().add("style", style).add("vectors", size).add("batches", batches)
                        .add("depth", depth).add("us_per_batch", us, 3).add("million_products_per_s", size / us, 3)
                        .add("cpu_us_per_batch", rank.allReduce(timing.cpuUs(batches), ReduceOp.SUM), 3)
                        .add("wrong", timing.wrong()).add("correct", timing.correct()), timing.correct());
            }
        }
    }
}
