package org.pgas4j.bench.study;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Rank;
import org.pgas4j.bench.baseline.CudaHimeno;
import org.pgas4j.bench.result.Row;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.himeno.Himeno;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;
import org.pgas4j.examples.himeno.Himeno.HimenoResult;
import org.pgas4j.examples.himeno.Himeno.HimenoStyle;

/** An iteration of the Himeno benchmark (the example {@code himeno}), driven by blocks, in Java and by hand, and by the host. */
public final class HimenoStudy extends ExampleStudy<ExampleStudy.Form<HimenoStyle>> {

    /** Of the blocks that stay: more of them hide more of the memory's latency. The host's kernels have many more blocks. */
    private static final int BLOCK_THREADS = 512;
    private static final int HOST_THREADS = 256;
    private static final CudaHimeno BY_HAND = new CudaHimeno(BLOCK_THREADS);
    /** As the benchmark counts them. */
    private static final double FLOPS_PER_POINT = 34;

    /** Planes that a rank computes, rows, columns. */
    private record Grid(int planes, int rows, int columns) {

        HimenoCase of(HimenoStyle style, int ranks, int iterations, int runs, boolean verify) {
            int threads = style == HimenoStyle.HOST ? HOST_THREADS : BLOCK_THREADS;
            return new HimenoCase(style, planes * ranks + 2, rows, columns, iterations,
                    new RunSettings(0, threads, false, 1, runs, verify));
        }

        @Override
        public String toString() {
            return planes + "x" + rows + "x" + columns;
        }
    }

    public HimenoStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, "himeno", options, out);
    }

    /** Of each rank; sizes asked for are planes of the first. */
    private static List<Grid> grids(StudyOptions options, boolean gpu) {
        List<Grid> grids = gpu ? List.of(new Grid(64, 64, 32), new Grid(128, 128, 64))
                : options.quick() ? List.of(new Grid(16, 16, 16)) : List.of(new Grid(16, 16, 16), new Grid(32, 32, 32));
        return options.sizes() == null ? grids : options.sizes().stream().map(planes -> new Grid(Math.toIntExact(planes),
                grids.getFirst().rows, grids.getFirst().columns)).toList();
    }

    public static long heapBytes(StudyOptions options, boolean gpu, int ranks) {
        return grids(options, gpu).stream().mapToLong(grid -> grid.of(HimenoStyle.HOST, ranks, 1, 1, false).deviceHeap(ranks)).max()
                .orElseThrow() + ROOM;
    }

    private static Sides sides(Form<HimenoStyle> form) {
        return form.style() == HimenoStyle.HOST ? Sides.HOSTS : Sides.KERNELS;
    }

    /** Collective. */
    public void run() {
        int iterations = gpu ? 100 : 10;
        for (Grid grid : grids(options, gpu)) {
            List<Form<HimenoStyle>> forms = forms(HimenoStyle.values(), List.of(HimenoStyle.BLOCKS));
            Map<Form<HimenoStyle>, Measured> all = measure(forms, iterations, (form, runs, verify) -> {
                HimenoCase of = grid.of(form.style(), rank.ranks(), iterations, runs, verify);
                HimenoResult result = form.isCuda() ? Himeno.measure(rank, of, BY_HAND) : Himeno.measure(rank, of);
                return new Outcome(result.timing().ns(), result.timing().cpuNs(), result.correct() ? 0 : 1);
            });
            Measured host = all.get(new Form<>(HimenoStyle.HOST, false));
            long points = (long) grid.planes * grid.rows * grid.columns;
            long computed = grid.of(HimenoStyle.HOST, rank.ranks(), iterations, 1, false).points();
            all.forEach((form, its) -> add(row(form, sides(form), points, its, host)
                    .with("grid", grid.toString()).with("mflops", FLOPS_PER_POINT * computed / its.p50())));
        }
    }
}
