package org.pgas4j.bench.kernel;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.kernel.KernelThread;

/** Cases that use memory of the block: a product of matrices by tiles, and the forces of N bodies. */
final class BlockCases {

    /** Rows and columns of a tile of the product. */
    static final int TILE = 16;
    /** Bodies of a tile, and threads of a block. */
    static final int BODIES = 128;

    private static final Kernel PRODUCT = KernelCase.cuda("product", """
            extern "C" __global__ void product(float *__restrict__ c, const float *__restrict__ a,
                                               const float *__restrict__ b, int n) {
                __shared__ float as[16][16], bs[16][16];
                const int x = threadIdx.x, y = threadIdx.y;
                const long long row = (long long) blockIdx.y * 16 + y, column = (long long) blockIdx.x * 16 + x;
                float sum = 0;
                for (int tile = 0; tile < n; tile += 16) {
                    as[y][x] = a[row * n + tile + x];
                    bs[y][x] = b[(long long) (tile + y) * n + column];
                    __syncthreads();
                    for (int k = 0; k < 16; k++) {
                        sum += as[y][k] * bs[k][x];
                    }
                    __syncthreads();
                }
                c[row * n + column] = sum;
            }
            """);

    private static final Kernel BODY_FORCES = KernelCase.cuda("bodies", """
            extern "C" __global__ void bodies(double *__restrict__ force, const double *__restrict__ body, int n) {
                __shared__ double xs[128], ys[128], zs[128], ms[128];
                const int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
                const double x = body[i], y = body[n + i], z = body[2 * n + i];
                double fx = 0, fy = 0, fz = 0;
                for (int tile = 0; tile < n; tile += 128) {
                    xs[t] = body[tile + t];
                    ys[t] = body[n + tile + t];
                    zs[t] = body[2 * n + tile + t];
                    ms[t] = body[3 * n + tile + t];
                    __syncthreads();
                    for (int j = 0; j < 128; j++) {
                        const double dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
                        const double d = dx * dx + dy * dy + dz * dz + 0.01;
                        const double s = ms[j] / (d * sqrt(d));
                        fx += s * dx;
                        fy += s * dy;
                        fz += s * dz;
                    }
                    __syncthreads();
                }
                force[i] = fx;
                force[n + i] = fy;
                force[2 * n + i] = fz;
            }
            """);

    private BlockCases() {
    }

    /** Product of matrices of order n, a multiple of {@link #TILE}, row-major. */
    static KernelCase product(KernelMemories memory, int n) {
        float[] as = KernelMemories.floats(n * n, 7);
        float[] bs = KernelMemories.floats(n * n, 8);
        Buffer a = memory.of(as);
        Buffer b = memory.of(bs);
        Buffer c = memory.zeros(ElementType.FLOAT, (long) n * n);
        int tiles = n / TILE;
        DeviceGrid.Dims block = new DeviceGrid.Dims(TILE, TILE, 1);
        return new KernelCase("product", n, new Kernel.Shape(tiles * tiles, TILE * TILE), self -> product(self, a, b, c, n),
                new Kernel.Shape(new DeviceGrid.Dims(tiles, tiles, 1), block), PRODUCT, new Object[] {c, a, b, n}, c,
                () -> product(as, bs, n));
    }

    private static void product(KernelThread self, Buffer a, Buffer b, Buffer c, int n) {
        float[] as = self.sharedFloats(TILE * TILE);
        float[] bs = self.sharedFloats(TILE * TILE);
        int x = self.thread() % TILE;
        int y = self.thread() / TILE;
        int tiles = n / TILE;
        long row = self.block() / tiles * TILE + y;
        long column = self.block() % tiles * TILE + x;
        float sum = 0;
        for (int tile = 0; tile < n; tile += TILE) {
            as[y * TILE + x] = a.getFloat(row * n + tile + x);
            bs[y * TILE + x] = b.getFloat((long) (tile + y) * n + column);
            self.sync();
            for (int k = 0; k < TILE; k++) {
                sum += as[y * TILE + k] * bs[k * TILE + x];
            }
            self.sync();
        }
        c.putFloat(row * n + column, sum);
    }

    private static float[] product(float[] a, float[] b, int n) {
        float[] c = new float[n * n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int k = 0; k < n; k++) {
                    sum += a[i * n + k] * b[k * n + j];
                }
                c[i * n + j] = sum;
            }
        }
        return c;
    }

    /** Forces on n bodies, a multiple of {@link #BODIES}: memory holds all x, then y, z and masses. */
    static KernelCase bodies(KernelMemories memory, int n) {
        double[] bodies = KernelMemories.doubles(4 * n, 9);
        Buffer body = memory.of(bodies);
        Buffer force = memory.zeros(ElementType.DOUBLE, 3L * n);
        Kernel.Shape shape = new Kernel.Shape(n / BODIES, BODIES);
        return new KernelCase("n-body", n, shape, self -> bodies(self, body, force, n), shape, BODY_FORCES,
                new Object[] {force, body, n}, force, () -> bodies(bodies, n));
    }

    private static void bodies(KernelThread self, Buffer body, Buffer force, int n) {
        double[] xs = self.sharedDoubles(BODIES);
        double[] ys = self.sharedDoubles(BODIES);
        double[] zs = self.sharedDoubles(BODIES);
        double[] ms = self.sharedDoubles(BODIES);
        int t = self.thread();
        int i = (int) self.block() * BODIES + t;
        double x = body.getDouble(i);
        double y = body.getDouble(n + i);
        double z = body.getDouble(2 * n + i);
        double fx = 0;
        double fy = 0;
        double fz = 0;
        for (int tile = 0; tile < n; tile += BODIES) {
            xs[t] = body.getDouble(tile + t);
            ys[t] = body.getDouble(n + tile + t);
            zs[t] = body.getDouble(2 * n + tile + t);
            ms[t] = body.getDouble(3 * n + tile + t);
            self.sync();
            for (int j = 0; j < BODIES; j++) {
                double dx = xs[j] - x;
                double dy = ys[j] - y;
                double dz = zs[j] - z;
                double d = dx * dx + dy * dy + dz * dz + 0.01;
                double s = ms[j] / (d * Math.sqrt(d));
                fx += s * dx;
                fy += s * dy;
                fz += s * dz;
            }
            self.sync();
        }
        force.putDouble(i, fx);
        force.putDouble(n + i, fy);
        force.putDouble(2 * n + i, fz);
    }

    private static double[] bodies(double[] body, int n) {
        double[] force = new double[3 * n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double dx = body[j] - body[i];
                double dy = body[n + j] - body[n + i];
                double dz = body[2 * n + j] - body[2 * n + i];
                double d = dx * dx + dy * dy + dz * dz + 0.01;
                double s = body[3 * n + j] / (d * Math.sqrt(d));
                force[i] += s * dx;
                force[n + i] += s * dy;
                force[2 * n + i] += s * dz;
            }
        }
        return force;
    }
}
