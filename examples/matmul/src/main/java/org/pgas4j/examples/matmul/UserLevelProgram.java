package org.pgas4j.examples.matmul;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;

/**
 * C = A * B as one writes it where only host memory is shared, the baseline of the published study: the product is
 * copied to the host, after a barrier put to rank 0's host segment, and after another barrier rank 0 copies all of C to
 * its device. The copies name the host segment by a shared pointer: the runtime then registers it with the device, once, so they are
 * those of page-locked memory. A copy of {@code hostParts.local()} would not be.
 */
final class UserLevelProgram {

    private UserLevelProgram() {
    }

    /** Collective; the result is rank 0's. */
    static MatmulSummary run(Rank rank, Inputs inputs, MatmulCase of, MatmulMeasurement measurement) throws Exception {
        long n = inputs.n();
        ElementType type = of.dtype().type();
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

        return measurement.run(a, c, () -> {
            double computeMs = 0;
            if (mine.count() > 0) {
                computeMs = DeviceArrays.multiplyMs(rank.stream(), n, mine.count(), a.local(), b.local(), product);
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
}
