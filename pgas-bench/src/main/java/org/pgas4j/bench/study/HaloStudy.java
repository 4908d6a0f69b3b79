package org.pgas4j.bench.study;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Rank;
import org.pgas4j.bench.result.Row;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import org.pgas4j.examples.halo.Halo;
import org.pgas4j.examples.halo.Halo.HaloCase;
import org.pgas4j.examples.halo.Halo.HaloStyle;

/**
 * The period of a halo exchange, started by the host, by a stream, by a kernel and by block ranks (the example {@code halo}), by the
 * side of a rank's box, beside the host's; and what processor time it takes a rank's thread.
 */
public final class HaloStudy extends ExampleStudy<HaloStyle> {

    private static final int THREADS = 256;

    public HaloStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, "halo", options, out);
    }

    private static int[] sides(StudyOptions options) {
        return options.sizes() != null ? ints(options.sizes())
                : options.quick() ? new int[] {8, 32} : new int[] {8, 16, 32, 64, 128};
    }

    public static long heapBytes(StudyOptions options) {
        long most = 0;
        for (int side : sides(options)) {
            most = Math.max(most, of(HaloStyle.BLOCKS, side, 1, 1, false).deviceHeap());
        }
        return most + ROOM;
    }

    private static HaloCase of(HaloStyle style, int side, int periods, int runs, boolean verify) {
        return new HaloCase(style, side, periods, new RunSettings(0, THREADS, false, 1, runs, verify));
    }

    /** Collective. */
    public void run() {
        int periods = gpu ? 100 : 6;
        for (int side : sides(options)) {
            Map<HaloStyle, Measured> all = measure(List.of(HaloStyle.values()), periods, (style, runs, verify) -> {
                Timing timing = Halo.measure(rank, of(style, side, periods, runs, verify));
                return new Outcome(timing.ns(), timing.cpuNs(), timing.wrong());
            });
            Measured sync = all.get(HaloStyle.SYNC);
            all.forEach((style, its) -> add(row(style, sides(style), side, its, sync)));
        }
    }

    private static Sides sides(HaloStyle style) {
        return switch (style) {
            case SYNC -> Sides.HOSTS;
            case STREAM, GRAPH -> Sides.STREAMS;
            case KERNEL, BLOCKS -> Sides.KERNELS;
            case TRIGGERED -> new Sides("kernel", "stream");
        };
    }
}
