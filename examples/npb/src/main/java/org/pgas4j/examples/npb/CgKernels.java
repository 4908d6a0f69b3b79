package org.pgas4j.examples.npb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.kernel.ThreadKernel;

/** Kernels of {@link DeviceCg}. The product is in CUDA C++ and in Java, where a block is one thread: it adds up by warps. */
final class CgKernels {

    /** Blocks of {@link #dot}, and so the number of its partial sums. */
    static final int DOT_BLOCKS = 128;

    static final int THREADS = 256;

    /** {@code y = A x} of some rows: {@code (starts, columns, values, x, y, rows)}; a warp for each row. */
    static final Kernel PRODUCT = new Kernel("cg_product", """
            extern "C" __global__ void cg_product(const int *starts, const int *columns, const double *values, const double *x,
                                                  double *y, int rows) {
                const int lane = threadIdx.x % 32;
                for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += gridDim.x * blockDim.x / 32) {
                    double sum = 0;
                    for (int at = starts[row] + lane; at < starts[row + 1]; at += 32) {
                        sum += values[at] * x[columns[at]];
                    }
                    for (int further = 16; further > 0; further /= 2) {
                        sum += __shfl_down_sync(0xffffffffu, sum, further);
                    }
                    if (lane == 0) {
                        y[row] = sum;
                    }
                }
            }
            """, (at, args) -> {
                MemorySegment starts = args.segment(0);
                for (long row = from(at, args.intAt(5), 0); row < from(at, args.intAt(5), 1); row++) {
                    double sum = 0;
                    int end = starts.getAtIndex(ValueLayout.JAVA_INT, row + 1);
                    for (int i = starts.getAtIndex(ValueLayout.JAVA_INT, row); i < end; i++) {
                        int column = args.segment(1).getAtIndex(ValueLayout.JAVA_INT, i);
                        sum += value(args.segment(2), i) * value(args.segment(3), column);
                    }
                    args.segment(4).setAtIndex(ValueLayout.JAVA_DOUBLE, row, sum);
                }
            });

    private CgKernels() {
    }

    /** Partial sums of a scalar product, one for each block of {@link #THREADS} threads or fewer, in an order that does not change. */
    static ThreadKernel dot(Buffer a, Buffer b, Buffer sums, int count) {
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

    private static double value(MemorySegment values, long i) {
        return values.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
    }

    /** First of the elements of the block {@code further} after this. */
    private static long from(Kernel.At at, int count, int further) {
        return (long) count * (at.block() + further) / at.shape().blocks();
    }
}
