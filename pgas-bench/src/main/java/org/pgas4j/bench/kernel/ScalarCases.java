package org.pgas4j.bench.kernel;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;

/** Cases in which a thread computes an element of its own: Mandelbrot, random numbers, rows of a sparse matrix. */
final class ScalarCases {

    private static final Kernel MANDELBROT = KernelCase.cuda("mandelbrot", """
            extern "C" __global__ void mandelbrot(int *__restrict__ steps, int n, int most) {
                const long long count = (long long) n * n, step = (long long) gridDim.x * blockDim.x;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
                    const double re = (int) (i % n) * 3.0 / n - 2.25, im = (int) (i / n) * 3.0 / n - 1.5;
                    double x = 0, y = 0;
                    int done = 0;
                    while (done < most && x * x + y * y <= 4) {
                        const double next = x * x - y * y + re;
                        y = 2 * x * y + im;
                        x = next;
                        done++;
                    }
                    steps[i] = done;
                }
            }
            """);

    private static final Kernel RANDOM = KernelCase.cuda("random64", """
            extern "C" __global__ void random64(long long *__restrict__ last, long long n, int steps) {
                const long long step = (long long) gridDim.x * blockDim.x;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
                    unsigned long long state = (unsigned long long) i, sum = 0;
                    for (int k = 0; k < steps; k++) {
                        state += 0x9E3779B97F4A7C15ull;
                        unsigned long long x = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
                        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
                        sum += x ^ (x >> 31);
                    }
                    last[i] = (long long) sum;
                }
            }
            """);

    private static final Kernel SPARSE = KernelCase.cuda("sparse", """
            extern "C" __global__ void sparse(double *__restrict__ y, const double *__restrict__ x,
                                              const double *__restrict__ values, const int *__restrict__ columns,
                                              const int *__restrict__ starts, int rows) {
                const int row = blockIdx.x * blockDim.x + threadIdx.x;
                if (row < rows) {
                    double sum = 0;
                    const int end = starts[row + 1];
                    for (int k = starts[row]; k < end; k++) {
                        sum += values[k] * x[columns[k]];
                    }
                    y[row] = sum;
                }
            }
            """);

    private static final int MIN_ROW = 8;
    private static final int MAX_ROW = 24;
    private static final int THREADS = 256;

    private ScalarCases() {
    }

    /** Steps after which a point of n x n leaves the circle of radius 2. */
    static KernelCase mandelbrot(KernelMemories memory, int n, int most) {
        long count = (long) n * n;
        Buffer steps = memory.zeros(ElementType.INT, count);
        Kernel.Shape shape = memory.strided(count);
        return new KernelCase("mandelbrot", count, shape, self -> {
            for (long i = self.global(); i < count; i += self.globals()) {
                steps.putInt(i, escape((int) (i % n) * 3.0 / n - 2.25, (int) (i / n) * 3.0 / n - 1.5, most));
            }
        }, shape, MANDELBROT, new Object[] {steps, n, most}, steps, () -> {
            int[] plain = new int[n * n];
            for (int i = 0; i < plain.length; i++) {
                plain[i] = escape(i % n * 3.0 / n - 2.25, i / n * 3.0 / n - 1.5, most);
            }
            return plain;
        });
    }

    private static int escape(double re, double im, int most) {
        double x = 0;
        double y = 0;
        int done = 0;
        while (done < most && x * x + y * y <= 4) {
            double next = x * x - y * y + re;
            y = 2 * x * y + im;
            x = next;
            done++;
        }
        return done;
    }

    /**
     * Sums of 64-bit random numbers, n sequences of them (SplitMix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable
     * pseudorandom number generators, OOPSLA 2014).
     */
    static KernelCase random(KernelMemories memory, int n, int steps) {
        Buffer last = memory.zeros(ElementType.LONG, n);
        Kernel.Shape shape = memory.strided(n);
        return new KernelCase("random", (long) n * steps, shape, self -> {
            for (long i = self.global(); i < n; i += self.globals()) {
                last.putLong(i, sum(i, steps));
            }
        }, shape, RANDOM, new Object[] {last, (long) n, steps}, last, () -> {
            long[] plain = new long[n];
            for (int i = 0; i < n; i++) {
                plain[i] = sum(i, steps);
            }
            return plain;
        });
    }

    private static long sum(long seed, int steps) {
        long state = seed;
        long sum = 0;
        for (int k = 0; k < steps; k++) {
            state += 0x9E3779B97F4A7C15L;
            long x = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
            x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
            sum += x ^ x >>> 31;
        }
        return sum;
    }

    /** Product of a vector and a sparse matrix: rows of {@value #MIN_ROW} to {@value #MAX_ROW} values near the diagonal. */
    static KernelCase sparse(KernelMemories memory, int rows) {
        int[] starts = new int[rows + 1];
        for (int row = 0; row < rows; row++) {
            starts[row + 1] = starts[row] + MIN_ROW + (int) Math.floorMod(KernelMemories.hash(row, 10), MAX_ROW - MIN_ROW + 1L);
        }
        int[] columns = new int[starts[rows]];
        for (int row = 0; row < rows; row++) {
            for (int k = starts[row]; k < starts[row + 1]; k++) {
                columns[k] = Math.clamp(row + Math.floorMod(KernelMemories.hash(k, 11), 2000L) - 1000, 0, rows - 1);
            }
        }
        double[] entries = KernelMemories.doubles(columns.length, 12);
        double[] vector = KernelMemories.doubles(rows, 13);
        return sparse(memory, starts, columns, entries, vector);
    }

    private static KernelCase sparse(KernelMemories memory, int[] starts, int[] columns, double[] entries, double[] vector) {
        int rows = vector.length;
        Buffer start = memory.of(starts);
        Buffer column = memory.of(columns);
        Buffer values = memory.of(entries);
        Buffer x = memory.of(vector);
        Buffer y = memory.zeros(ElementType.DOUBLE, rows);
        Kernel.Shape shape = Kernel.Shape.covering(rows, THREADS);
        return new KernelCase("sparse", entries.length, shape, self -> {
            int row = (int) self.global();
            if (row < rows) {
                double sum = 0;
                int end = start.getInt(row + 1);
                for (int k = start.getInt(row); k < end; k++) {
                    sum += values.getDouble(k) * x.getDouble(column.getInt(k));
                }
                y.putDouble(row, sum);
            }
        }, shape, SPARSE, new Object[] {y, x, values, column, start, rows}, y, () -> {
            double[] plain = new double[rows];
            for (int row = 0; row < rows; row++) {
                for (int k = starts[row]; k < starts[row + 1]; k++) {
                    plain[row] += entries[k] * vector[columns[k]];
                }
            }
            return plain;
        });
    }
}
