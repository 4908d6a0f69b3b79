package org.pgas4j.bench.kernel;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;

/** Cases on boxes of points: a stencil of seven points, and the step of the Himeno benchmark. A block does a row. */
final class GridCases {

    private static final Kernel STENCIL = KernelCase.cuda("stencil", """
            extern "C" __global__ void stencil(double *__restrict__ to, const double *__restrict__ from, int n) {
                const int y = blockIdx.x, z = blockIdx.y;
                if (y == 0 || y == n - 1 || z == 0 || z == n - 1) {
                    return;
                }
                const long long row = ((long long) z * n + y) * n, plane = (long long) n * n;
                for (int x = 1 + threadIdx.x; x < n - 1; x += blockDim.x) {
                    const double *p = from + row + x;
                    to[row + x] = 0.4 * p[0] + 0.1 * (p[-1] + p[1] + p[-n] + p[n] + p[-plane] + p[plane]);
                }
            }
            """);

    private static final Kernel HIMENO = KernelCase.cuda("himeno", """
            extern "C" __global__ void himeno(float *__restrict__ q, const float *__restrict__ p, const float *__restrict__ m,
                                              int planes, int rows, int columns) {
                const long long J = columns, I = (long long) rows * columns, F = planes * I;
                const int j = blockIdx.x, i = blockIdx.y;
                if (i == 0 || i == planes - 1 || j == 0 || j == rows - 1) {
                    return;
                }
                for (int k = 1 + threadIdx.x; k < columns - 1; k += blockDim.x) {
                    const long long x = i * I + j * J + k;
                    const float *c = m + x, *u = p + x;
                    const float s0 = c[0] * u[I] + c[F] * u[J] + c[2 * F] * u[1]
                            + c[4 * F] * (u[I + J] - u[I - J] - u[-I + J] + u[-I - J])
                            + c[5 * F] * (u[J + 1] - u[-J + 1] - u[J - 1] + u[-J - 1])
                            + c[6 * F] * (u[I + 1] - u[-I + 1] - u[I - 1] + u[-I - 1])
                            + c[7 * F] * u[-I] + c[8 * F] * u[-J] + c[9 * F] * u[-1] + c[11 * F];
                    const float ss = (s0 * c[3 * F] - u[0]) * c[10 * F];
                    q[x] = u[0] + 0.8f * ss;
                }
            }
            """);

    private static final int THREADS = 128;
    private static final int FIELDS = 12; // a0..a3, b0..b2, c0..c2, bnd, wrk1

    private GridCases() {
    }

    private static Kernel.Shape planes(Kernel.Shape rows, int width, int height) {
        return new Kernel.Shape(new DeviceGrid.Dims(width, height, 1), rows.block());
    }

    /** Seven points of a box of n x n x n, its border left out. */
    static KernelCase stencil(KernelMemories memory, int n) {
        double[] values = KernelMemories.doubles(Math.multiplyExact(n, n * n), 4);
        Buffer from = memory.of(values);
        Buffer to = memory.zeros(ElementType.DOUBLE, values.length);
        long plane = (long) n * n;
        Kernel.Shape rows = memory.blocks(plane, THREADS);
        return new KernelCase("stencil", values.length, rows, self -> {
            int block = (int) self.block();
            int y = block % n;
            int z = block / n;
            if (y == 0 || y == n - 1 || z == 0 || z == n - 1) {
                return;
            }
            for (int x = 1 + self.thread(); x < n - 1; x += self.threads()) {
                long i = (long) block * n + x;
                to.putDouble(i, 0.4 * from.getDouble(i) + 0.1 * (from.getDouble(i - 1) + from.getDouble(i + 1)
                        + from.getDouble(i - n) + from.getDouble(i + n) + from.getDouble(i - plane) + from.getDouble(i + plane)));
            }
        }, planes(rows, n, n), STENCIL, new Object[] {to, from, n}, to, () -> stencil(values, n));
    }

    private static double[] stencil(double[] from, int n) {
        double[] to = new double[from.length];
        int plane = n * n;
        for (int z = 1; z < n - 1; z++) {
            for (int y = 1; y < n - 1; y++) {
                for (int x = 1; x < n - 1; x++) {
                    int i = (z * n + y) * n + x;
                    to[i] = 0.4 * from[i] + 0.1 * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] + from[i - plane]
                            + from[i + plane]);
                }
            }
        }
        return to;
    }

    /** A Jacobi step of planes x rows x columns, without its residual. */
    static KernelCase himeno(KernelMemories memory, int planes, int rows, int columns) {
        int points = Math.multiplyExact(planes, rows * columns);
        float[] pressure = KernelMemories.floats(points, 5);
        float[] fields = KernelMemories.floats(Math.multiplyExact(points, FIELDS), 6);
        Buffer p = memory.of(pressure);
        Buffer m = memory.of(fields);
        Buffer q = memory.zeros(ElementType.FLOAT, points);
        long dj = columns;
        long di = (long) rows * columns;
        long field = points;
        Kernel.Shape shape = memory.blocks((long) planes * rows, THREADS);
        return new KernelCase("himeno", points, shape, self -> {
            int block = (int) self.block();
            int j = block % rows;
            int i = block / rows;
            if (i == 0 || i == planes - 1 || j == 0 || j == rows - 1) {
                return;
            }
            for (int k = 1 + self.thread(); k < columns - 1; k += self.threads()) {
                long x = block * dj + k;
                float s0 = m.getFloat(x) * p.getFloat(x + di) + m.getFloat(x + field) * p.getFloat(x + dj)
                        + m.getFloat(x + 2 * field) * p.getFloat(x + 1)
                        + m.getFloat(x + 4 * field) * cross(p, x, di, dj)
                        + m.getFloat(x + 5 * field) * cross(p, x, 1, dj)
                        + m.getFloat(x + 6 * field) * cross(p, x, 1, di)
                        + m.getFloat(x + 7 * field) * p.getFloat(x - di) + m.getFloat(x + 8 * field) * p.getFloat(x - dj)
                        + m.getFloat(x + 9 * field) * p.getFloat(x - 1) + m.getFloat(x + 11 * field);
                float ss = (s0 * m.getFloat(x + 3 * field) - p.getFloat(x)) * m.getFloat(x + 10 * field);
                q.putFloat(x, p.getFloat(x) + 0.8f * ss);
            }
        }, planes(shape, rows, planes), HIMENO, new Object[] {q, p, m, planes, rows, columns}, q,
                () -> himeno(pressure, fields, planes, rows, columns));
    }

    private static float cross(Buffer p, long x, long a, long b) {
        return p.getFloat(x + a + b) - p.getFloat(x + a - b) - p.getFloat(x - a + b) + p.getFloat(x - a - b);
    }

    private static float cross(float[] p, int x, int a, int b) {
        return p[x + a + b] - p[x + a - b] - p[x - a + b] + p[x - a - b];
    }

    private static float[] himeno(float[] p, float[] m, int planes, int rows, int columns) {
        float[] q = new float[p.length];
        int di = rows * columns;
        int f = p.length;
        for (int i = 1; i < planes - 1; i++) {
            for (int j = 1; j < rows - 1; j++) {
                for (int x = i * di + j * columns + 1; x < i * di + j * columns + columns - 1; x++) {
                    float s0 = m[x] * p[x + di] + m[x + f] * p[x + columns] + m[x + 2 * f] * p[x + 1]
                            + m[x + 4 * f] * cross(p, x, di, columns) + m[x + 5 * f] * cross(p, x, 1, columns)
                            + m[x + 6 * f] * cross(p, x, 1, di) + m[x + 7 * f] * p[x - di] + m[x + 8 * f] * p[x - columns]
                            + m[x + 9 * f] * p[x - 1] + m[x + 11 * f];
                    float ss = (s0 * m[x + 3 * f] - p[x]) * m[x + 10 * f];
                    q[x] = p[x] + 0.8f * ss;
                }
            }
        }
        return q;
    }
}
