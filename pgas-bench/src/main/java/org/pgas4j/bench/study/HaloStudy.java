package org.pgas4j.bench.study;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Rank;
import org.pgas4j.bench.baseline.CudaHalo;
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
public final class HaloStudy extends ExampleStudy<ExampleStudy.Form<HaloStyle>> {

    private static final int THREADS = 256;
    private static final CudaHalo BY_HAND = new CudaHalo(THREADS);

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
            List<Form<HaloStyle>> forms = forms(HaloStyle.values(), List.of(HaloStyle.KERNEL, HaloStyle.TRIGGERED));
            Map<Form<HaloStyle>, Measured> all = measure(forms, periods, (form, runs, verify) -> {
                HaloCase of = of(form.style(), side, periods, runs, verify);
                Timing timing = form.isCuda() ? Halo.measure(rank, of, BY_HAND) : Halo.measure(rank, of);
                return new Outcome(timing.ns(), timing.cpuNs(), timing.wrong());
            });
            Measured sync = all.get(new Form<>(HaloStyle.SYNC, false));
            all.forEach((form, its) -> add(row(form, sides(form.style()), side, its, sync)));
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
