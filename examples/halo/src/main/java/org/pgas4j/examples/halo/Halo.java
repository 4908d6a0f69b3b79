package org.pgas4j.examples.halo;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.OptionCheck;
import org.pgas4j.examples.common.RunOptions;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the styles on boxes of each side and reports the time of a period. */
@Command(name = "halo",
        header = "Pack, send, interior, receive, unpack: a stencil's loop started by host, stream, kernel and block ranks.")
public final class Halo extends Example {

    private static final long ROOM = 32L << 20;

    /** Start of the communication. */
    public enum HaloStyle {
        /** By the host, which waits for the device before and after. */
        SYNC,
        /** By the rank's stream; the host runs ahead. */
        STREAM,
        /**
         * By the rank's stream, from a graph that is captured once; devices notify each other, and the host only launches. Where they
         * do not reach each other, period by period.
         */
        GRAPH,
        /** By a kernel for each period. */
        KERNEL,
        /** By a kernel for each period, which starts puts that the host has prepared; the rank's stream waits. */
        TRIGGERED,
        /** By block ranks, in one launch for all periods. */
        BLOCKS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One measurement, the same on all ranks.
     *
     * @param side    n of a rank's box of n x n x n floats
     * @param periods of a run
     */
    public record HaloCase(HaloStyle style, int side, int periods, RunSettings runs) {

        public HaloCase {
            OptionCheck.inRange("--side", side, 2, 1290);
            OptionCheck.atLeast(1, "--periods", periods);
        }

        /** Floats of a face. */
        int face() {
            return side * side;
        }

        /** Floats of a box. */
        long box() {
            return (long) side * side * side;
        }

        /** Shared device memory that a rank needs, bytes. */
        public long deviceHeap() {
            return Float.BYTES * (2 * box() + 8L * face());
        }
    }

    @Option(names = "--side", paramLabel = "N", split = ",", defaultValue = "64",
            description = "of each rank's box, N x N x N floats (default: ${DEFAULT-VALUE})")
    private List<Integer> sides;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "sync,stream,graph,kernel,triggered,blocks",
            description = "sync, stream, graph, kernel, triggered, blocks (default: ${DEFAULT-VALUE})")
    private List<HaloStyle> styles;

    @Option(names = "--periods", paramLabel = "K", defaultValue = "100", description = "of a run (default: ${DEFAULT-VALUE})")
    private int periods;

    @Mixin
    private final RunOptions runs = new RunOptions(256, 5, 1);

    Halo() {
        super(2);
    }

    public static void main(String[] args) {
        new Halo().start(args);
    }

    @Override
    protected PgasConfig config() {
        long heap = 0;
        long points = 0;
        for (int side : sides) {
            HaloCase of = new HaloCase(HaloStyle.SYNC, side, periods, runs.settings(0));
            heap = Math.max(heap, of.deviceHeap());
            points = Math.max(points, of.box() * ranks());
        }
        return onDevice(new PgasConfig().ranks(ranks()).deviceHeap(heap + ROOM)
                .timeout(Duration.ofSeconds(60 + (long) (1e-8 * points * periods))));
    }

    /** Measures and checks one case. Collective. */
    public static Timing measure(Rank rank, HaloCase of) {
        return measure(rank, of, HaloLaunch.JAVA);
    }

    /** As {@link #measure(Rank, HaloCase)}, with other programs for {@link HaloStyle#KERNEL} and {@link HaloStyle#TRIGGERED}. */
    public static Timing measure(Rank rank, HaloCase of, HaloLaunch launch) {
        HaloBox loop = switch (of.style()) {
            case SYNC, STREAM, GRAPH -> new HostLoop(rank, of);
            case KERNEL -> new FusedLoop(rank, of, launch);
            case TRIGGERED -> new TriggeredLoop(rank, of, launch);
            case BLOCKS -> new BlockLoop(rank, of);
        };
        Timing timing = Timing.of(rank, of.runs(), loop);
        loop.close();
        return timing;
    }

    @Override
    protected void program(Rank rank) {
        for (int side : sides) {
            for (HaloStyle style : styles) {
                HaloCase of = new HaloCase(style, side, periods, runs.settings(0));
                Timing timing = measure(rank, of);
                report(rank, of.runs(), new JsonLine().add("style", style).add("side", side).add("periods", periods)
                        .add("us_per_period", timing.medianUs(periods), 3).add("cpu_us_per_period", timing.cpuUs(periods), 3)
                        .add("wrong", timing.wrong()).add("correct", timing.correct()), timing.correct());
            }
        }
    }
}
