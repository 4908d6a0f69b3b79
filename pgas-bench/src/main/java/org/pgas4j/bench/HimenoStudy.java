package org.pgas4j.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.Rank;
import org.pgas4j.examples.himeno.HimenoRun;
import org.pgas4j.examples.himeno.Result;
import org.pgas4j.examples.himeno.Settings.Style;
import org.pgas4j.examples.himeno.Settings;

/** An iteration of the Himeno benchmark (the example {@code himeno}), driven by blocks and, beside it, by the host. */
final class HimenoStudy {

    private static final long ROOM = 32L << 20;
    /** Of the blocks that stay: more of them hide more of the memory's latency. The host's kernels have many more blocks. */
    private static final int BLOCK_THREADS = 512;
    private static final int HOST_THREADS = 256;
    /** As the benchmark counts them. */
    private static final double FLOPS_PER_POINT = 34;

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean gpu;

    /** Planes that a rank computes, rows, columns. */
    private record Grid(int planes, int rows, int columns) {

        Settings settings(int ranks) {
            return Settings.perRank(planes, rows, columns, ranks);
        }

        @Override
        public String toString() {
            return planes + "x" + rows + "x" + columns;
        }
    }

    HimenoStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    /** Of each rank; sizes asked for are planes of the first. */
    private static List<Grid> grids(StudyOptions options, boolean gpu) {
        List<Grid> grids = gpu ? List.of(new Grid(64, 64, 32), new Grid(128, 128, 64))
                : options.quick() ? List.of(new Grid(16, 16, 16)) : List.of(new Grid(16, 16, 16), new Grid(32, 32, 32));
        return options.sizes() == null ? grids : options.sizes().stream().map(planes -> new Grid(Math.toIntExact(planes),
                grids.getFirst().rows, grids.getFirst().columns)).toList();
    }

    static long heapBytes(StudyOptions options, boolean gpu, int ranks) {
        return grids(options, gpu).stream().mapToLong(grid -> grid.settings(ranks).deviceHeap(ranks)).max().orElseThrow() + ROOM;
    }

    /** Collective. */
    void run() {
        Styles<Style> styles = new Styles<>(rank, "himeno", out);
        int iterations = gpu ? 100 : 10;
        for (Grid grid : grids(options, gpu)) {
            Settings settings = grid.settings(rank.ranks());
            Map<Style, Styles.Measured> all = styles.measure(List.of(Style.values()), iterations, options.quick() ? 2 : 5,
                    (style, runs, verify) -> {
                        Result result = HimenoRun.run(rank, settings.style(style).repeated(iterations, runs).verify(verify)
                                .blocks(0, style == Style.HOST ? HOST_THREADS : BLOCK_THREADS, false));
                        return new Styles.Outcome(result.ns(), result.cpuNs(), result.correct() ? 0 : 1);
                    });
            Styles.Measured host = all.get(Style.HOST);
            long points = (long) grid.planes * grid.rows * grid.columns;
            all.forEach((style, its) -> styles.add(Styles.withCpu(styles.row(style.toString(),
                    style == Style.HOST ? Styles.Who.HOSTS : Styles.Who.KERNELS, points, its, host), its, host)
                    .with("grid", grid.toString()).with("mflops", FLOPS_PER_POINT * settings.points() / its.p50())));
        }
    }
}
