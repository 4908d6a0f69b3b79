package org.pgas4j.examples.npb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Kernel;

/** Programs of {@link DeviceCg}, each in CUDA C++ and in Java, where a block is one thread. */
final class CgKernels {

    /** Blocks of {@link #DOT}, and so the number of its partial sums. */
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

    /** Partial sums of a scalar product: {@code (a, b, sums, count)}; one for each block, in an order that does not change. */
    static final Kernel DOT = new Kernel("cg_dot", """
            extern "C" __global__ void cg_dot(const double *a, const double *b, double *sums, int count) {
                __shared__ double part[256];
                double sum = 0;
                for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
                    sum += a[i] * b[i];
                }
                part[threadIdx.x] = sum;
                __syncthreads();
                for (int half = blockDim.x / 2; half > 0; half /= 2) {
                    if (threadIdx.x < half) {
                        part[threadIdx.x] += part[threadIdx.x + half];
                    }
                    __syncthreads();
                }
                if (threadIdx.x == 0) {
                    sums[blockIdx.x] = part[0];
                }
            }
            """, (at, args) -> {
                double sum = 0;
                for (long i = from(at, args.intAt(3), 0); i < from(at, args.intAt(3), 1); i++) {
                    sum += value(args.segment(0), i) * value(args.segment(1), i);
                }
                args.segment(2).setAtIndex(ValueLayout.JAVA_DOUBLE, at.block(), sum);
            });

    /** {@code y = a x + b y}: {@code (a, x, b, y, count)}. */
    static final Kernel COMBINE = new Kernel("cg_combine", """
            extern "C" __global__ void cg_combine(double a, const double *x, double b, double *y, int count) {
                for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
                    y[i] = a * x[i] + b * y[i];
                }
            }
            """, (at, args) -> {
                for (long i = from(at, args.intAt(4), 0); i < from(at, args.intAt(4), 1); i++) {
                    args.segment(3).setAtIndex(ValueLayout.JAVA_DOUBLE, i,
                            args.doubleAt(0) * value(args.segment(1), i) + args.doubleAt(2) * value(args.segment(3), i));
                }
            });

    private CgKernels() {
    }

    private static double value(MemorySegment values, long i) {
        return values.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
    }

    /** First of the elements of the block {@code further} after this. */
    private static long from(Kernel.At at, int count, int further) {
        return (long) count * (at.block() + further) / at.shape().blocks();
    }
}
