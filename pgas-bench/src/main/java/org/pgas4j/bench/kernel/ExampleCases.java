package org.pgas4j.bench.kernel;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.examples.matvec.Products;
import org.pgas4j.examples.npb.CgKernels;
import org.pgas4j.kernel.KernelThread;

/** Kernels of examples that no other case is like, with the CUDA forms that the examples had. */
final class ExampleCases {

    private static final int THREADS = 256;
    private static final int TILE = 32;
    private static final int PITCH = TILE + 1; // of rows of a tile in a block's memory, so that columns lie in all of its banks

    /** Of NPB CG. */
    private static final Kernel DOT = KernelCase.cuda("dot", """
            extern "C" __global__ void dot(const double *a, const double *b, double *sums, int count) {
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
            """);

    /** Of PRK transpose. */
    private static final Kernel TRANSPOSE = KernelCase.cuda("transpose", """
            extern "C" __global__ void transpose(const double *a, double *out, int n) {
                __shared__ double tile[32][33];
                const int across = (n + 31) / 32;
                const int i0 = blockIdx.x % across * 32, j0 = blockIdx.x / across * 32;
                const int x = threadIdx.x % 32, y = threadIdx.x / 32;
                for (int j = y; j < 32; j += blockDim.x / 32) {
                    if (i0 + x < n && j0 + j < n) {
                        tile[j][x] = a[(long long) (j0 + j) * n + i0 + x];
                    }
                }
                __syncthreads();
                for (int i = y; i < 32; i += blockDim.x / 32) {
                    if (i0 + i < n && j0 + x < n) {
                        out[(long long) (i0 + i) * n + j0 + x] = tile[x][i];
                    }
                }
            }
            """);

    /** Of stencil, for a plane. */
    private static final Kernel DIFFUSION = KernelCase.cuda("diffusion", """
            __device__ inline float laplacian(const float *f, int row) {
                return ((f[-1] + f[1]) + (f[-row] + f[row])) - 4.0f * f[0];
            }

            __device__ inline float flux(const float *f, int row, int next) {
                const float flux = laplacian(f + next, row) - laplacian(f, row), gradient = f[next] - f[0];
                return flux * gradient > 0.0f ? 0.0f : flux;
            }

            extern "C" __global__ void diffusion(const float *in, float *out, int n) {
                const int width = n - 4, point = blockIdx.x * blockDim.x + threadIdx.x;
                if (point < width * width) {
                    const int at = (2 + point / width) * n + 2 + point % width;
                    const float *f = in + at;
                    out[at] = f[0] - 0.025f * ((flux(f, n, 1) - flux(f - 1, n, 1)) + (flux(f, n, n) - flux(f - n, n, n)));
                }
            }
            """);

    /** Of matvec, driven by the host: 32 x 32 matrix, by columns, times vectors, a warp for each. */
    private static final Kernel PRODUCTS = KernelCase.cuda("matvec", """
            extern "C" __global__ void matvec(const float *a, const float *x, float *y, int vectors, int ofBlock) {
                const int lane = threadIdx.x % 32;
                float row[32];
                #pragma unroll
                for (int k = 0; k < 32; k++) {
                    row[k] = a[32 * k + lane];
                }
                const long long first = (long long) blockIdx.x * ofBlock;
                const long long count = vectors - first < ofBlock ? vectors - first : ofBlock;
                for (long long v = first + threadIdx.x / 32; v < first + count; v += blockDim.x / 32) {
                    const float element = x[32 * v + lane];
                    float sum = 0;
                    #pragma unroll
                    for (int k = 0; k < 32; k++) {
                        sum += row[k] * __shfl_sync(0xffffffffu, element, k);
                    }
                    y[32 * v + lane] = sum;
                }
            }
            """);

    private static final int VECTORS_OF_BLOCK = 256;

    private ExampleCases() {
    }

    /** Partial sums of a scalar product of blocks of {@value #THREADS} threads; on the host device of blocks of one. */
    static KernelCase dot(KernelMemories memory, int n, int blocks) {
        double[] as = KernelMemories.doubles(n, 14);
        double[] bs = KernelMemories.doubles(n, 15);
        Buffer a = memory.of(as);
        Buffer b = memory.of(bs);
        Buffer sums = memory.zeros(ElementType.DOUBLE, blocks);
        Kernel.Shape shape = memory.blocks(blocks, THREADS);
        return new KernelCase("dot", n, shape, CgKernels.dot(a, b, sums, n), shape, DOT,
                new Object[] {a, b, sums, n}, sums, () -> {
                    double[] plain = new double[blocks];
                    for (int i = 0; i < n; i++) {
                        plain[i % blocks] += as[i] * bs[i];
                    }
                    return plain;
                });
    }

    /** A matrix of n x n by tiles in memory of the block. */
    static KernelCase transpose(KernelMemories memory, int n) {
        double[] as = KernelMemories.doubles(Math.multiplyExact(n, n), 16);
        Buffer a = memory.of(as);
        Buffer out = memory.zeros(ElementType.DOUBLE, as.length);
        long across = (n + TILE - 1) / TILE;
        Kernel.Shape shape = memory.blocks(across * across, THREADS);
        return new KernelCase("transpose", n, shape, self -> transpose(self, a, out, n), shape, TRANSPOSE,
                new Object[] {a, out, n}, out, () -> {
                    double[] plain = new double[as.length];
                    for (int i = 0; i < plain.length; i++) {
                        plain[i % n * n + i / n] = as[i];
                    }
                    return plain;
                });
    }

    private static void transpose(KernelThread self, Buffer a, Buffer out, int n) {
        double[] tile = self.sharedDoubles(TILE * PITCH);
        int across = (n + TILE - 1) / TILE;
        int block = (int) self.block();
        int i0 = block % across * TILE;
        int j0 = block / across * TILE;
        for (int k = self.thread(); k < TILE * TILE; k += self.threads()) {
            int x = k % TILE;
            int y = k / TILE;
            if (i0 + x < n && j0 + y < n) {
                tile[y * PITCH + x] = a.getDouble((long) (j0 + y) * n + i0 + x);
            }
        }
        self.sync();
        for (int k = self.thread(); k < TILE * TILE; k += self.threads()) {
            int x = k % TILE;
            int y = k / TILE;
            if (i0 + y < n && j0 + x < n) {
                out.putDouble((long) (i0 + y) * n + j0 + x, tile[x * PITCH + y]);
            }
        }
    }

    /** Products of a small matrix with vectors, all whole numbers. */
    static KernelCase products(KernelMemories memory, int vectors) {
        int side = Products.SIDE;
        float[] matrix = new float[side * side];
        float[] xs = new float[vectors * side];
        for (int k = 0; k < side; k++) {
            for (int i = 0; i < side; i++) {
                matrix[k * side + i] = Products.matrix(i, k);
            }
            for (int v = 0; v < vectors; v++) {
                xs[v * side + k] = Products.vector(0, v, k);
            }
        }
        Buffer a = memory.of(matrix);
        Buffer x = memory.of(xs);
        Buffer y = memory.zeros(ElementType.FLOAT, xs.length);
        Kernel.Shape shape = memory.blocks(Math.ceilDiv(vectors, VECTORS_OF_BLOCK), THREADS);
        return new KernelCase("matvec", vectors, shape, self -> {
            long first = self.block() * VECTORS_OF_BLOCK;
            long count = Math.min(vectors - first, VECTORS_OF_BLOCK);
            Products.multiply(self, a, x, y, first, count);
        }, shape, PRODUCTS, new Object[] {a, x, y, vectors, VECTORS_OF_BLOCK}, y, () -> {
            float[] plain = new float[xs.length];
            for (int at = 0; at < plain.length; at++) {
                for (int k = 0; k < side; k++) {
                    plain[at] += matrix[k * side + at % side] * xs[at - at % side + k];
                }
            }
            return plain;
        });
    }

    /** A step of horizontal diffusion with limited fluxes in a plane of n x n, two points from its border. */
    static KernelCase diffusion(KernelMemories memory, int n) {
        float[] plane = KernelMemories.floats(Math.multiplyExact(n, n), 17);
        Buffer in = memory.of(plane);
        Buffer out = memory.zeros(ElementType.FLOAT, plane.length);
        int width = n - 4;
        Kernel.Shape shape = Kernel.Shape.covering((long) width * width, THREADS);
        return new KernelCase("diffusion", plane.length, shape, self -> {
            int point = (int) self.global();
            if (point < width * width) {
                int at = (2 + point / width) * n + 2 + point % width;
                out.putFloat(at, in.getFloat(at) - 0.025f * ((flux(in, at, n, 1) - flux(in, at - 1, n, 1))
                        + (flux(in, at, n, n) - flux(in, at - n, n, n))));
            }
        }, shape, DIFFUSION, new Object[] {in, out, n}, out, () -> {
            float[] plain = new float[plane.length];
            for (int point = 0; point < width * width; point++) {
                int at = (2 + point / width) * n + 2 + point % width;
                plain[at] = plane[at] - 0.025f * ((flux(plane, at, n, 1) - flux(plane, at - 1, n, 1))
                        + (flux(plane, at, n, n) - flux(plane, at - n, n, n)));
            }
            return plain;
        });
    }

    private static float laplacian(Buffer f, int at, int row) {
        float beside = (f.getFloat(at - 1) + f.getFloat(at + 1)) + (f.getFloat(at - row) + f.getFloat(at + row));
        return beside - 4.0f * f.getFloat(at);
    }

    private static float flux(Buffer f, int at, int row, int next) {
        return limited(laplacian(f, at + next, row) - laplacian(f, at, row), f.getFloat(at + next) - f.getFloat(at));
    }

    private static float laplacian(float[] f, int at, int row) {
        return ((f[at - 1] + f[at + 1]) + (f[at - row] + f[at + row])) - 4.0f * f[at];
    }

    private static float flux(float[] f, int at, int row, int next) {
        return limited(laplacian(f, at + next, row) - laplacian(f, at, row), f[at + next] - f[at]);
    }

    private static float limited(float flux, float gradient) {
        return flux * gradient > 0.0f ? 0.0f : flux;
    }
}
