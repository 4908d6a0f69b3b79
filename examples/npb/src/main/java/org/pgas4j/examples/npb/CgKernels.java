package org.pgas4j.examples.npb;

import org.pgas4j.Buffer;
import org.pgas4j.kernel.ThreadKernel;

/** Kernels of NPB CG on devices. */
public final class CgKernels {

    /** Blocks of {@link #dot}, and so the number of its partial sums. */
    static final int DOT_BLOCKS = 128;

    static final int THREADS = 256;

    /**
     * Rows of a sparse matrix on a device.
     *
     * @param starts  place of each row's first value, and of the end of the last
     * @param columns of the values
     * @param values  row by row
     */
    record CsrRows(Buffer starts, Buffer columns, Buffer values, int rows) {
    }

    private CgKernels() {
    }

    /** {@code y = A x} of some rows, a warp for each row; the blocks have whole warps, or one thread. */
    static ThreadKernel product(CsrRows matrix, Buffer x, Buffer y) {
        Buffer starts = matrix.starts();
        Buffer columns = matrix.columns();
        Buffer values = matrix.values();
        int rows = matrix.rows();
        return self -> {
            int lanes = self.lanes();
            long warps = self.globals() / lanes;
            for (long row = self.global() / lanes; row < rows; row += warps) {
                double sum = 0;
                int end = starts.getInt(row + 1);
                for (int at = starts.getInt(row) + self.lane(); at < end; at += lanes) {
                    sum += values.getDouble(at) * x.getDouble(columns.getInt(at));
                }
                double all = self.warpSum(sum);
                if (self.lane() == 0) {
                    y.putDouble(row, all);
                }
            }
        };
    }

    /** Partial sums of a scalar product, one for each block of {@link #THREADS} threads or fewer, in an order that does not change. */
    public static ThreadKernel dot(Buffer a, Buffer b, Buffer sums, int count) {
        return self -> {
            double[] part = self.sharedDoubles(THREADS);
            double sum = 0;
            for (long i = self.global(); i < count; i += self.globals()) {
                sum += a.getDouble(i) * b.getDouble(i);
            }
            int thread = self.thread();
            part[thread] = sum;
            self.sync();
            for (int half = self.threads() / 2; half > 0; half /= 2) {
                if (thread < half) {
                    part[thread] += part[thread + half];
                }
                self.sync();
            }
            if (thread == 0) {
                sums.putDouble(self.block(), part[0]);
            }
        };
    }

    /** {@code y = a x + b y}. */
    static ThreadKernel combine(double a, Buffer x, double b, Buffer y, int count) {
        return self -> {
            for (long i = self.global(); i < count; i += self.globals()) {
                y.putDouble(i, a * x.getDouble(i) + b * y.getDouble(i));
            }
        };
    }
}
