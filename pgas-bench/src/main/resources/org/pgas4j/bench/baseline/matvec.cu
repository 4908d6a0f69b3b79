// Batches of products served by blocks, written by hand: the example matvec has the same in Java.
// Compiled with THREADS, the threads of a block.
#include <pgas_device.cuh>

// a is A by columns: lane i takes row i.
__device__ void matvec_row(const float *a, float (&row)[32]) {
    #pragma unroll
    for (int k = 0; k < 32; k++) {
        row[k] = a[32 * k + threadIdx.x % 32];
    }
}

// y = A x for count vectors, a warp for each.
__device__ void matvec_products(const float (&row)[32], const float *x, float *y, int count) {
    const int lane = threadIdx.x % 32;
    for (long long v = threadIdx.x / 32; v < count; v += blockDim.x / 32) {
        const float element = x[32 * v + lane];
        float sum = 0;
        #pragma unroll
        for (int k = 0; k < 32; k++) {
            sum += row[k] * __shfl_sync(0xffffffffu, element, k);
        }
        y[32 * v + lane] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) matvec_blocks(pgas_world world, const float *a, float *source,
        float *target, long long targetBytes, int vectors, int batches, int depth) {
    pgas_context *c = pgas_init(world);
    const int window = pgas_win_create(c, PGAS_WORLD, target, targetBytes);
    const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE), host = pgas_host_rank(c);
    const int server = 1 + block % (pgas_host_ranks(c) - 1);
    const long long first = (long long) vectors * block / blocks;
    const int count = (int) ((long long) vectors * (block + 1) / blocks - first);
    const long long vectorBytes = 32 * sizeof(float);
    if (host == 0 && count > 0) {
        for (int batch = 0; batch < batches + depth; batch++) {
            if (batch >= depth) {
                pgas_wait_notifications(c, 0, 1);
            }
            if (batch < batches) {
                const long long slot = (long long) (batch % depth) * vectors + first;
                pgas_put_notify(c, window, server * blocks + block, slot * vectorBytes,
                                source + 32 * ((long long) batch * vectors + first), count * vectorBytes, 0);
            }
        }
    } else if (host == server && count > 0) {
        float row[32];
        matvec_row(a, row);
        float *there = (float *) pgas_ptr(c, window, block);
        for (int batch = 0; batch < batches; batch++) {
            const long long slot = (long long) (batch % depth) * vectors + first;
            const long long result = (long long) batch * vectors + first;
            pgas_wait_notifications(c, 0, 1);
            if (there != 0) {
                matvec_products(row, target + 32 * slot, there + 32 * result, count);
                pgas_notify(c, PGAS_WORLD, block, 0);
            } else {
                matvec_products(row, target + 32 * slot, source + 32 * slot, count);
                pgas_put_notify(c, window, block, result * vectorBytes, source + 32 * slot, count * vectorBytes, 0);
            }
        }
    }
    pgas_win_free(c, window);
    pgas_finish(c);
}
