package org.pgas4j.examples.matmul;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.RankProgram;
import org.pgas4j.SharedArray;
import org.pgas4j.Stream;

/**
 * C = A * B as one writes it where only host memory is shared, the baseline of the published study: the product is
 * copied to the host, after a barrier put to rank 0's host segment, and after another barrier rank 0 copies all of C to
 * its device. The copies name the host segment by a shared pointer: the runtime then registers it with the device, once, so they are
 * those of page-locked memory. A copy of {@code hostParts.local()} would not be.
 */
final class UserLevelProgram implements RankProgram {

    private final Inputs inputs;
    private final MatmulOptions options;
    private final Measurement measurement;

    UserLevelProgram(Inputs inputs, MatmulOptions options, Measurement measurement) {
        this.inputs = inputs;
        this.options = options;
        this.measurement = measurement;
    }

    @Override
    public void run(Rank rank) throws Exception {
        long n = inputs.n();
        ElementType type = options.type();
        Columns mine = Columns.of(n, rank.ranks(), rank.rank());
        Layout byColumns = Layout.blocked(n * Columns.width(n, rank.ranks()));

        SharedArray a, b, c;                                            // each n x n, column-major
        try (var _ = rank.onDevice()) {
            a = DeviceArrays.allAlloc(rank, type, Layout.replicated(), n * n);
            b = DeviceArrays.allAlloc(rank, type, byColumns, n * n);
            c = DeviceArrays.allAlloc(rank, type, Layout.onRank(0), n * n);
        }
        SharedArray hostParts = DeviceArrays.allAlloc(rank, type, byColumns, n * n);
        SharedArray hostC = DeviceArrays.allAlloc(rank, type, Layout.onRank(0), n * n);
        Buffer product = DeviceArrays.alloc(rank, type, n * mine.count(), "the product");   // n x mine.count()
        DeviceArrays.upload(rank, inputs.a(), new Columns(0, n), a.local());
        DeviceArrays.upload(rank, inputs.b(), mine, b.local());

        measurement.run(rank, a, c, () -> {
            double computeMs = 0;
            if (mine.count() > 0) {
                computeMs = multiply(rank.stream(), n, mine.count(), a.local(), b.local(), product);
                rank.stream().memput(hostParts.pointer(mine.first() * n), product);
                rank.stream().sync();
            }
            rank.barrier();
            if (mine.count() > 0) {
                rank.memput(hostC.pointer(mine.first() * n), hostParts.local());
            }
            rank.barrier();
            if (rank.rank() == 0) {
                rank.stream().memget(c.local(), hostC.pointer(0));
                rank.stream().sync();
            }
            return computeMs;
        });
    }

    /** {@code product = a * b}; milliseconds the device spent on it. */
    private static double multiply(Stream stream, long n, long columns, Buffer a, Buffer b, Buffer product) {
        try (Event start = stream.record()) {
            stream.gemm(n, columns, n, 1, a, n, b, n, 0, product, n);
            try (Event end = stream.record()) {
                stream.sync();
                return end.millisSince(start);
            }
        }
    }
}
