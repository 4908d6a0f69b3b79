package org.pgas4j.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Rank;
import org.pgas4j.examples.stencil.Result;
import org.pgas4j.examples.stencil.Settings;
import org.pgas4j.examples.stencil.StencilRun;
import org.pgas4j.examples.stencil.Style;

/**
 * A step of horizontal diffusion (the example {@code stencil}), its halos exchanged by blocks and, beside it, by the host in three
 * ways. What each is compared with is the fastest of the host's ways.
 */
final class StencilStudy {

    private static final long ROOM = 32L << 20;
    /** Of the host's kernels, and of the blocks that stay, one for each multiprocessor. */
    private static final int HOST_THREADS = 256;
    private static final int BLOCK_THREADS = 1024;
    private static final int FEWEST_ROWS_OF_BLOCK = 2;
    private static final int CHECKED_STEPS = 3;
    /** Halo rows in a level of a field, both sides. */
    private static final int HALO_ROWS = 4;

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean gpu;
    private long checksum;
    private boolean summed;

    /** Points in a row, rows and levels of a device. */
    private record Field(int i, int j, int levels) {

        @Override
        public String toString() {
            return i + "x" + j + "x" + levels;
        }
    }

    StencilStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    /** Sizes asked for are rows of a device. */
    private static List<Field> fields(StudyOptions options, boolean gpu) {
        Field usual = gpu ? new Field(128, 320, 26) : new Field(32, 16, 4);
        return options.sizes() == null ? List.of(usual) : options.sizes().stream().map(rows -> new Field(usual.i,
                Math.toIntExact(rows), usual.levels)).toList();
    }

    static long heapBytes(StudyOptions options, boolean gpu) {
        return fields(options, gpu).stream().mapToLong(field -> (long) Float.BYTES * field.i * field.levels
                * (2L * (field.j + HALO_ROWS) + 2L * HALO_ROWS)).max().orElseThrow() + ROOM;
    }

    /** Collective. */
    void run() {
        Styles<Style> styles = new Styles<>(rank, "stencil", out);
        int multiprocessors;
        try (DeviceGrid all = rank.createGrid(DeviceGrid.Options.of(0, BLOCK_THREADS))) {
            multiprocessors = all.perRank();
        }
        int steps = gpu ? 200 : 10;
        for (Field field : fields(options, gpu)) {
            int blocks = Math.max(1, Math.min(multiprocessors, field.j / FEWEST_ROWS_OF_BLOCK));
            summed = false;
            Map<Style, Styles.Measured> all = styles.measure(List.of(Style.values()), steps, options.quick() ? 2 : 5,
                    (style, runs, verify) -> {
                        Result result = StencilRun.run(rank, new Settings(style, field.i, field.j, field.levels, steps, blocks,
                                style == Style.BLOCKS ? BLOCK_THREADS : HOST_THREADS, false, verify ? CHECKED_STEPS : 0, 1, runs));
                        return new Styles.Outcome(result.ns(), result.cpuNs(), result.checked() && isSame(result) ? 0 : 1);
                    });
            Style fastest = List.of(Style.values()).stream().filter(style -> style != Style.BLOCKS)
                    .min(Comparator.comparingDouble(style -> all.get(style).p50())).orElseThrow();
            Styles.Measured host = all.get(fastest);
            long points = (long) field.i * field.j * field.levels;
            all.forEach((style, its) -> styles.add(Styles.withCpu(styles.row(style.toString(),
                    style == Style.BLOCKS ? Styles.Who.KERNELS : Styles.Who.HOSTS, points, its, host), its, host)
                    .with("grid", field.toString()).with("blocks", blocks).with(Styles.BASELINE, fastest.toString())));
        }
    }

    /** All styles and runs of a field must give the same bits. */
    private boolean isSame(Result result) {
        if (!summed) {
            checksum = result.checksum();
            summed = true;
        }
        return checksum == result.checksum();
    }
}
