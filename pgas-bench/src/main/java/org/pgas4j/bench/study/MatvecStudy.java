package org.pgas4j.bench.study;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.Rank;
import org.pgas4j.bench.baseline.CudaMatvec;
import org.pgas4j.bench.result.Row;
import org.pgas4j.examples.common.RunSettings;
import org.pgas4j.examples.common.Timing;
import org.pgas4j.examples.matvec.Matvec;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;
import org.pgas4j.examples.matvec.Matvec.MatvecStyle;

/**
 * A batch of small matrix-vector products on another rank's device (the example {@code matvec}), served by blocks, in Java and by
 * hand, and by the hosts, by vectors of a batch.
 */
public final class MatvecStudy extends ExampleStudy<ExampleStudy.Form<MatvecStyle>> {

    /** Million products a second. */
    public static final String MVPS = "mvps";

    private static final int ON_HOST = 4;
    private static final int ON_GPU = 64;
    private static final int DEPTH = 2;
    private static final int MAX_THREADS = 256;

    public MatvecStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, "matvec", options, out);
    }

    private static int[] vectors(StudyOptions options) {
        return options.sizes() != null ? ints(options.sizes())
                : options.quick() ? new int[] {480, 15360} : new int[] {480, 960, 1920, 3840, 7680, 15360};
    }

    private static MatvecCase of(MatvecStyle style, int vectors, boolean gpu, int threads, int runs, boolean verify) {
        return new MatvecCase(style, vectors, gpu ? ON_GPU : ON_HOST, DEPTH, new RunSettings(0, threads, false, 1, runs, verify));
    }

    public static long heapBytes(StudyOptions options, boolean gpu) {
        long most = 0;
        for (int vectors : vectors(options)) {
            most = Math.max(most, of(MatvecStyle.HOST, vectors, gpu, MAX_THREADS, 1, false).deviceHeap());
        }
        return most + ROOM;
    }

    private static Sides sides(Form<MatvecStyle> form) {
        return form.style() == MatvecStyle.HOST ? Sides.HOSTS : Sides.KERNELS;
    }

    /** Collective. */
    public void run() {
        int multiprocessors = multiprocessors();
        for (int vectors : vectors(options)) {
            // A warp for each vector of a block, as far as that goes: fewer threads have less to wait for.
            int threads = Math.min(MAX_THREADS, WARP * Math.ceilDiv(vectors, multiprocessors));
            CudaMatvec byHand = new CudaMatvec(threads);
            List<Form<MatvecStyle>> forms = forms(MatvecStyle.values(), List.of(MatvecStyle.BLOCKS));
            Map<Form<MatvecStyle>, Measured> all = measure(forms, gpu ? ON_GPU : ON_HOST, (form, runs, verify) -> {
                MatvecCase of = of(form.style(), vectors, gpu, form.style() == MatvecStyle.BLOCKS ? threads : MAX_THREADS, runs,
                        verify);
                Timing timing = form.isCuda() ? Matvec.measure(rank, of, byHand) : Matvec.measure(rank, of);
                return new Outcome(timing.ns(), timing.cpuNs(), timing.wrong());
            });
            Measured host = all.get(new Form<>(MatvecStyle.HOST, false));
            all.forEach((form, its) -> add(row(form, sides(form), vectors, its, host)
                    .with(MVPS, vectors / its.p50()).with("rate_ratio", host.p50() / its.p50())));
        }
    }
}
