// All iterations of the Himeno benchmark by blocks, written by hand: the example himeno has the same in Java.
// Compiled with THREADS, the threads of a block.
#include <pgas_device.cuh>

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

extern "C" __global__ void __launch_bounds__(THREADS, 1) himeno_blocks(pgas_world world, float *p, const float *m,
        double *sums, long long field, int planes, int planesBelow, int rows, int columns, int zTiles, int yTiles,
        int iterations) {
    pgas_context *c = pgas_init(world);
    const int window = pgas_win_create(c, PGAS_WORLD, p, 2 * field * sizeof(float));
    // Stores through this come before later notifications, those of blocks of this device too.
    p = (float *) pgas_ptr(c, window, pgas_rank(c, PGAS_WORLD));
    const int block = pgas_rank(c, PGAS_DEVICE), perRank = pgas_size(c, PGAS_DEVICE);
    const int host = pgas_host_rank(c), hosts = pgas_host_ranks(c);
    const int z = block / yTiles, y = block % yTiles;
    const bool works = block < zTiles * yTiles;
    // Each of the first eight threads has a neighbour to notify, if there is one in its direction.
    const int direction = threadIdx.x + (threadIdx.x >= 4), nz = host * zTiles + z + direction / 3 - 1,
              ny = y + direction % 3 - 1;
    const bool has = works && threadIdx.x < 8 && nz >= 0 && nz < hosts * zTiles && ny >= 0 && ny < yTiles;
    const int beside = has ? nz / zTiles * perRank + nz % zTiles * yTiles + ny : -1;
    const int neighbours = __syncthreads_count(has);
    const himeno_tile t = himeno_tile_of(z, y, zTiles, yTiles, planes, rows);
    double part = 0;
    for (int iteration = 0; iteration < iterations && works; iteration++) {
        const long long to = iteration % 2 ? 0 : field;
        part = himeno_tile_step(p + (field - to), p + to, m, field, t, rows, columns);
        __syncthreads();
        for (int dz = -1; dz <= 1; dz += 2) {
            const int owner = (host * zTiles + z + dz) / zTiles;
            if (host * zTiles + z + dz < 0 || owner == host || owner >= hosts) {
                continue;
            }
            // All of the plane that the blocks there read; those above and below in y get their rows by the others.
            const long long count = (long long) (t.row1 - t.row0) * columns;
            const float *mine = p + to + ((long long) (dz < 0 ? 1 : planes) * rows + t.row0) * columns;
            const long long at = to + ((long long) (dz < 0 ? planesBelow + 1 : 0) * rows + t.row0) * columns;
            const int first = owner * perRank + (dz < 0 ? zTiles - 1 : 0) * yTiles;
            float *there = (float *) pgas_ptr(c, window, first + y);
            for (long long n = threadIdx.x; there != 0 && n < count; n += blockDim.x) {
                there[at + n] = mine[n];
            }
            for (int dy = -1; dy <= 1 && there == 0; dy++) {
                // By the host what a block is sent comes before its notification, so each is sent its rows.
                if (y + dy >= 0 && y + dy < yTiles) {
                    const long long from = dy > 0 ? count - columns : 0;
                    pgas_put(c, window, first + y + dy, (at + from) * sizeof(float), mine + from,
                             (dy == 0 ? count : columns) * sizeof(float));
                }
            }
        }
        __syncthreads();
        if (has) {
            pgas_notify_thread(c, PGAS_WORLD, beside, iteration % 2);
        }
        pgas_wait_notifications(c, iteration % 2, neighbours);
    }
    const double sum = himeno_sum(part);
    if (threadIdx.x == 0) {
        sums[block] = sum;
    }
    pgas_win_free(c, window);
    pgas_finish(c);
}
