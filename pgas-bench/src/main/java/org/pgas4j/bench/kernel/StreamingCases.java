package org.pgas4j.bench.kernel;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;

/** Cases that read and write each element a few times: saxpy, and counts of values. */
final class StreamingCases {

    private static final Kernel SAXPY = KernelCase.cuda("saxpy", """
            extern "C" __global__ void saxpy(float *__restrict__ z, const float *__restrict__ x,
                                             const float *__restrict__ y, float a, long long n) {
                const long long step = (long long) gridDim.x * blockDim.x;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
                    z[i] = a * x[i] + y[i];
                }
            }
            """);

    private static final Kernel HISTOGRAM = KernelCase.cuda("histogram", """
            extern "C" __global__ void histogram(int *counts, const int *__restrict__ values, long long n) {
                const long long step = (long long) gridDim.x * blockDim.x;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
                    atomicAdd(&counts[values[i]], 1);
                }
            }
            """);

    private StreamingCases() {
    }

    /** {@code z = a x + y}. */
    static KernelCase saxpy(KernelMemories memory, int n) {
        float a = 2.5f;
        float[] xs = KernelMemories.floats(n, 1);
        float[] ys = KernelMemories.floats(n, 2);
        Buffer x = memory.of(xs);
        Buffer y = memory.of(ys);
        Buffer z = memory.zeros(ElementType.FLOAT, n);
        Kernel.Shape shape = memory.strided(n);
        return new KernelCase("saxpy", n, shape, self -> {
            for (long i = self.global(); i < n; i += self.globals()) {
                z.putFloat(i, a * x.getFloat(i) + y.getFloat(i));
            }
        }, shape, SAXPY, new Object[] {z, x, y, a, (long) n}, z, () -> {
            float[] zs = new float[n];
            for (int i = 0; i < n; i++) {
                zs[i] = a * xs[i] + ys[i];
            }
            return zs;
        });
    }

    /** Number of times that each value occurs, by atomic additions to memory of the device. */
    static KernelCase histogram(KernelMemories memory, int n, int bins) {
        int[] data = new int[n];
        for (int i = 0; i < n; i++) {
            data[i] = (int) (KernelMemories.hash(i, 3) >>> 1) & bins - 1;
        }
        Buffer values = memory.of(data);
        Buffer counts = memory.zeros(ElementType.INT, bins);
        Kernel.Shape shape = memory.strided(n);
        return new KernelCase("histogram", n, shape, self -> {
            for (long i = self.global(); i < n; i += self.globals()) {
                counts.getAndAddInt(values.getInt(i), 1);
            }
        }, shape, HISTOGRAM, new Object[] {counts, values, (long) n}, counts, () -> {
            int[] found = new int[bins];
            for (int value : data) {
                found[value]++;
            }
            return found;
        });
    }
}
