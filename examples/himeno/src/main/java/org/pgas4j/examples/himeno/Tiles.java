package org.pgas4j.examples.himeno;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A rank's planes cut into tiles: {@code zTiles} groups of planes times {@code yTiles} groups of rows, each for one block. One
 * step of a tile, in both languages.
 */
record Tiles(int zTiles, int yTiles) {

    static final float OMEGA = 0.8f;

    /** One step of a tile and the residual's sum, for the kernels of both styles. */
    static final String CUDA = """
            struct himeno_tile { int plane0, plane1, row0, row1; };

            __device__ himeno_tile himeno_tile_of(int z, int y, int zTiles, int yTiles, int planes, int rows) {
                himeno_tile t;
                t.plane0 = 1 + (int) ((long long) planes * z / zTiles);
                t.plane1 = 1 + (int) ((long long) planes * (z + 1) / zTiles);
                t.row0 = 1 + (int) ((long long) (rows - 2) * y / yTiles);
                t.row1 = 1 + (int) ((long long) (rows - 2) * (y + 1) / yTiles);
                return t;
            }

            // From p to q; m holds the fields a0..a3, b0..b2, c0..c2, bnd, wrk1. Returns this thread's part of the residual.
            __device__ double himeno_tile_step(const float *p, float *q, const float *m, long long field, himeno_tile t,
                                               int rows, int columns) {
                const long long I = (long long) rows * columns, J = columns;
                const int width = columns - 2, height = t.row1 - t.row0;
                const int count = (t.plane1 - t.plane0) * height * width;  // of one block: far from 2^31
                double sum = 0;
                for (int n = threadIdx.x; n < count; n += blockDim.x) {
                    const int row = n / width;
                    const long long x = (t.plane0 + row / height) * I + (t.row0 + row % height) * J + 1 + n % width;
                    const float *k = m + x;
                    const float s0 = k[0] * p[x + I] + k[field] * p[x + J] + k[2 * field] * p[x + 1]
                            + k[4 * field] * (p[x + I + J] - p[x + I - J] - p[x - I + J] + p[x - I - J])
                            + k[5 * field] * (p[x + J + 1] - p[x - J + 1] - p[x + J - 1] + p[x - J - 1])
                            + k[6 * field] * (p[x + I + 1] - p[x - I + 1] - p[x + I - 1] + p[x - I - 1])
                            + k[7 * field] * p[x - I] + k[8 * field] * p[x - J] + k[9 * field] * p[x - 1]
                            + k[11 * field];
                    const float ss = (s0 * k[3 * field] - p[x]) * k[10 * field];
                    sum += (double) ss * ss;
                    q[x] = p[x] + 0.8f * ss;
                }
                return sum;
            }

            // The block's sum, in thread 0.
            __device__ double himeno_sum(double part) {
                __shared__ double parts[1024];
                parts[threadIdx.x] = part;
                __syncthreads();
                double sum = 0;
                if (threadIdx.x == 0) {
                    for (int i = 0; i < blockDim.x; i++) {
                        sum += parts[i];
                    }
                }
                return sum;
            }
            """;

    private static final ValueLayout.OfFloat F = ValueLayout.JAVA_FLOAT;

    /** A tile for each of {@code blocks}, as far as there are planes and rows. */
    static Tiles forBlocks(int blocks, int planes, int rows) {
        int z = Math.min(planes, blocks);
        return new Tiles(z, Math.clamp(blocks / z, 1, rows - 2));
    }

    /** Tiles of about one point for each thread. */
    static Tiles forThreads(int threads, int planes, int rows, int columns) {
        return new Tiles(planes, Math.ceilDiv(rows - 2, Math.max(1, threads / (columns - 2))));
    }

    int count() {
        return zTiles * yTiles;
    }

    int plane0(int z, int planes) {
        return 1 + (int) ((long) planes * z / zTiles);
    }

    int row0(int y, int rows) {
        return 1 + (int) ((long) (rows - 2) * y / yTiles);
    }

    /**
     * One step of tile (z, y) from {@code p} to {@code q}.
     *
     * @param m     fields a0..a3, b0..b2, c0..c2, bnd, wrk1
     * @param field floats of one of them
     * @return the tile's sum of squared residuals
     */
    double step(int z, int y, MemorySegment p, MemorySegment q, MemorySegment m, long field, int planes, int rows,
                int columns) {
        double sum = 0;
        for (int i = plane0(z, planes); i < plane0(z + 1, planes); i++) {
            for (int j = row0(y, rows); j < row0(y + 1, rows); j++) {
                long first = ((long) i * rows + j) * columns + 1;
                for (long x = first; x < first + columns - 2; x++) {
                    float ss = residual(p, m, x, field, (long) rows * columns, columns);
                    sum += (double) ss * ss;
                    q.setAtIndex(F, x, at(p, x) + OMEGA * ss);
                }
            }
        }
        return sum;
    }

    private static float residual(MemorySegment p, MemorySegment m, long x, long field, long i, long j) {
        float s0 = at(m, x) * at(p, x + i) + at(m, x + field) * at(p, x + j) + at(m, x + 2 * field) * at(p, x + 1)
                + at(m, x + 4 * field) * (at(p, x + i + j) - at(p, x + i - j) - at(p, x - i + j) + at(p, x - i - j))
                + at(m, x + 5 * field) * (at(p, x + j + 1) - at(p, x - j + 1) - at(p, x + j - 1) + at(p, x - j - 1))
                + at(m, x + 6 * field) * (at(p, x + i + 1) - at(p, x - i + 1) - at(p, x + i - 1) + at(p, x - i - 1))
                + at(m, x + 7 * field) * at(p, x - i) + at(m, x + 8 * field) * at(p, x - j)
                + at(m, x + 9 * field) * at(p, x - 1) + at(m, x + 11 * field);
        return (s0 * at(m, x + 3 * field) - at(p, x)) * at(m, x + 10 * field);
    }

    private static float at(MemorySegment segment, long index) {
        return segment.getAtIndex(F, index);
    }
}
