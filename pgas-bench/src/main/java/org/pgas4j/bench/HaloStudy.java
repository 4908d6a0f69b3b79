package org.pgas4j.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.Rank;
import org.pgas4j.examples.halo.HaloRun;
import org.pgas4j.examples.halo.Result;
import org.pgas4j.examples.halo.Settings.Style;
import org.pgas4j.examples.halo.Settings;

/**
 * The period of a halo exchange, started by the host, by a stream, by a kernel and by block ranks (the example {@code halo}), by the
 * side of a rank's box, beside the host's; and what processor time it takes a rank's thread.
 */
final class HaloStudy {

    private static final long ROOM = 32L << 20;

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean gpu;

    HaloStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    private static int[] sides(StudyOptions options) {
        return options.sizes() != null ? options.sizes().stream().mapToInt(Math::toIntExact).toArray()
                : options.quick() ? new int[] {8, 32} : new int[] {8, 16, 32, 64, 128};
    }

    static long heapBytes(StudyOptions options) {
        long most = 0;
        for (int side : sides(options)) {
            most = Math.max(most, Settings.of(side).deviceHeap());
        }
        return most + ROOM;
    }

    /** Collective. */
    void run() {
        Styles<Style> styles = new Styles<>(rank, "halo", out);
        int periods = gpu ? 100 : 6;
        for (int side : sides(options)) {
            Map<Style, Styles.Measured> all = styles.measure(List.of(Style.values()), periods, options.quick() ? 2 : 5,
                    (style, runs, verify) -> {
                        Result result = HaloRun.run(rank, Settings.of(side).style(style).repeated(periods, runs).verify(verify));
                        return new Styles.Outcome(result.ns(), result.cpuNs(), result.wrong());
                    });
            Styles.Measured sync = all.get(Style.SYNC);
            all.forEach((style, its) -> styles.add(Styles.withCpu(styles.row(style.toString(), who(style), side, its, sync), its,
                    sync)));
        }
    }

    private static Styles.Who who(Style style) {
        return switch (style) {
            case SYNC -> Styles.Who.HOSTS;
            case STREAM, GRAPH -> Styles.Who.STREAMS;
            case KERNEL, BLOCKS -> Styles.Who.KERNELS;
            case TRIGGERED -> new Styles.Who("kernel", "stream");
        };
    }
}
