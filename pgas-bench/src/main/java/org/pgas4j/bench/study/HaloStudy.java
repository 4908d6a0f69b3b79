package org.pgas4j.bench.study;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Rank;
import org.pgas4j.bench.result.Row;
import org.pgas4j.examples.halo.HaloRun;
import org.pgas4j.examples.halo.Result;
import org.pgas4j.examples.halo.Settings;
import org.pgas4j.examples.halo.Settings.Style;

/**
 * The period of a halo exchange, started by the host, by a stream, by a kernel and by block ranks (the example {@code halo}), by the
 * side of a rank's box, beside the host's; and what processor time it takes a rank's thread.
 */
public final class HaloStudy extends ExampleStudy<Style> {

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
            most = Math.max(most, Settings.of(side).deviceHeap());
        }
        return most + ROOM;
    }

    /** Collective. */
    public void run() {
        int periods = gpu ? 100 : 6;
        for (int side : sides(options)) {
            Map<Style, Measured> all = measure(List.of(Style.values()), periods, (style, runs, verify) -> {
                Result result = HaloRun.run(rank, Settings.of(side).style(style).repeated(periods, runs).verify(verify));
                return new Outcome(result.ns(), result.cpuNs(), result.wrong());
            });
            Measured sync = all.get(Style.SYNC);
            all.forEach((style, its) -> add(row(style, sides(style), side, its, sync)));
        }
    }

    private static Sides sides(Style style) {
        return switch (style) {
            case SYNC -> Sides.HOSTS;
            case STREAM, GRAPH -> Sides.STREAMS;
            case KERNEL, BLOCKS -> Sides.KERNELS;
            case TRIGGERED -> new Sides("kernel", "stream");
        };
    }
}
