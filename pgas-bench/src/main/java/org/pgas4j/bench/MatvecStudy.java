package org.pgas4j.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Rank;
import org.pgas4j.examples.matvec.MatvecRun;
import org.pgas4j.examples.matvec.Result;
import org.pgas4j.examples.matvec.Settings.Style;
import org.pgas4j.examples.matvec.Settings;

/**
 * A batch of small matrix-vector products on another rank's device (the example {@code matvec}), served by blocks and, beside it,
 * by the hosts, by vectors of a batch.
 */
final class MatvecStudy {

    /** Million products a second. */
    static final String MVPS = "mvps";

    private static final long ROOM = 32L << 20;
    private static final int ON_HOST = 4;
    private static final int ON_GPU = 64;
    private static final int DEPTH = 2;
    private static final int WARP = 32;
    private static final int MAX_THREADS = 256;

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean gpu;

    MatvecStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    private static int[] vectors(StudyOptions options) {
        return options.sizes() != null ? options.sizes().stream().mapToInt(Math::toIntExact).toArray()
                : options.quick() ? new int[] {480, 15360} : new int[] {480, 960, 1920, 3840, 7680, 15360};
    }

    private static Settings settings(int vectors, boolean gpu, int runs) {
        return Settings.of(vectors).repeated(gpu ? ON_GPU : ON_HOST, DEPTH, runs);
    }

    static long heapBytes(StudyOptions options, boolean gpu) {
        long most = 0;
        for (int vectors : vectors(options)) {
            most = Math.max(most, settings(vectors, gpu, 1).deviceHeap());
        }
        return most + ROOM;
    }

    /** Collective. */
    void run() {
        Styles<Style> styles = new Styles<>(rank, "matvec", out);
        int multiprocessors;
        try (DeviceGrid all = rank.createGrid(DeviceGrid.Options.of(0, MAX_THREADS))) {
            multiprocessors = all.perRank();
        }
        for (int vectors : vectors(options)) {
            // A warp for each vector of a block, as far as that goes: fewer threads have less to wait for.
            int threads = Math.min(MAX_THREADS, WARP * Math.ceilDiv(vectors, multiprocessors));
            Map<Style, Styles.Measured> all = styles.measure(List.of(Style.values()), gpu ? ON_GPU : ON_HOST,
                    options.quick() ? 2 : 5, (style, runs, verify) -> {
                        Result result = MatvecRun.run(rank, settings(vectors, gpu, runs).style(style).verify(verify)
                                .blocks(0, style == Style.BLOCKS ? threads : MAX_THREADS, false));
                        return new Styles.Outcome(result.ns(), result.cpuNs(), result.wrong());
                    });
            Styles.Measured host = all.get(Style.HOST);
            all.forEach((style, its) -> styles.add(Styles.withCpu(styles.row(style.toString(),
                    style == Style.HOST ? Styles.Who.HOSTS : Styles.Who.KERNELS, vectors, its, host), its, host)
                    .with(MVPS, vectors / its.p50()).with("rate_ratio", host.p50() / its.p50())));
        }
    }
}
