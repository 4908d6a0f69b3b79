package org.pgas4j.bench.study;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Rank;
import org.pgas4j.bench.result.Row;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.stencil.Stencil;
import org.pgas4j.examples.stencil.Stencil.StencilCase;
import org.pgas4j.examples.stencil.Stencil.StencilResult;
import org.pgas4j.examples.stencil.Stencil.StencilStyle;

/**
 * A step of horizontal diffusion (the example {@code stencil}), its halos exchanged by blocks and, beside it, by the host in three
 * ways. What each is compared with is the fastest of the host's ways.
 */
public final class StencilStudy extends ExampleStudy<StencilStyle> {

    /** Of the host's kernels, and of the blocks that stay, one for each multiprocessor. */
    private static final int HOST_THREADS = 256;
    private static final int BLOCK_THREADS = 1024;
    private static final int MIN_ROWS_OF_BLOCK = 2;
    private static final int CHECKED_STEPS = 3;
    /** Halo rows in a level of a field, both sides. */
    private static final int HALO_ROWS = 4;

    private long checksum;
    private boolean summed;

    /** Points in a row, rows and levels of a device. */
    private record Field(int i, int j, int levels) {

        @Override
        public String toString() {
            return i + "x" + j + "x" + levels;
        }
    }

    public StencilStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, "stencil", options, out);
    }

    /** Sizes asked for are rows of a device. */
    private static List<Field> fields(StudyOptions options, boolean gpu) {
        Field usual = gpu ? new Field(128, 320, 26) : new Field(32, 16, 4);
        return options.sizes() == null ? List.of(usual) : options.sizes().stream().map(rows -> new Field(usual.i,
                Math.toIntExact(rows), usual.levels)).toList();
    }

    public static long heapBytes(StudyOptions options, boolean gpu) {
        return fields(options, gpu).stream().mapToLong(field -> (long) Float.BYTES * field.i * field.levels
                * (2L * (field.j + HALO_ROWS) + 2L * HALO_ROWS)).max().orElseThrow() + ROOM;
    }

    /** Collective. */
    public void run() {
        int multiprocessors = multiprocessors();
        int steps = gpu ? 200 : 10;
        for (Field field : fields(options, gpu)) {
            int blocks = Math.max(1, Math.min(multiprocessors, field.j / MIN_ROWS_OF_BLOCK));
            summed = false;
            Map<StencilStyle, Measured> all = measure(List.of(StencilStyle.values()), steps, (style, runs, verify) -> {
                int threads = style == StencilStyle.BLOCKS ? BLOCK_THREADS : HOST_THREADS;
                StencilResult result = Stencil.measure(rank, new StencilCase(style, field.i, field.j, field.levels, steps,
                        CHECKED_STEPS, new RunSettings(blocks, threads, false, 1, runs, verify)));
                return new Outcome(result.timing().ns(), result.timing().cpuNs(), result.maxError() == 0 && isSame(result) ? 0 : 1);
            });
            StencilStyle fastest = List.of(StencilStyle.values()).stream().filter(style -> style != StencilStyle.BLOCKS)
                    .min(Comparator.comparingDouble(style -> all.get(style).p50())).orElseThrow();
            Measured host = all.get(fastest);
            long points = (long) field.i * field.j * field.levels;
            all.forEach((style, its) -> add(row(style, style == StencilStyle.BLOCKS ? Sides.KERNELS : Sides.HOSTS, points, its, host)
                    .with("grid", field.toString()).with("blocks", blocks).with(Row.BASELINE, fastest.toString())));
        }
    }

    /** All styles and runs of a field must give the same bits. */
    private boolean isSame(StencilResult result) {
        if (!summed) {
            checksum = result.checksum();
            summed = true;
        }
        return checksum == result.checksum();
    }
}
