#include <pgas_device.cuh>

__device__ unsigned char pattern(int block, int step, int i) {
    return (unsigned char) (block * 31 + step * 7 + i * 3 + (i >> 8));
}

__device__ int wrong_bytes(const unsigned char *at, int size, int block, int step, int first) {
    int wrong = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        wrong += at[i] != pattern(block, step, first + i);
    }
    return wrong;
}

// Gets of each size by each group of threads, into shared memory of the device and of the block. A block's region has
// what others get, what it gets, what others put, 4 KiB each.
extern "C" __global__ void gets(pgas_world world, char *base, int *errors, const int *sizes, int size_count) {
    __shared__ unsigned char near[4096];
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE);
    unsigned char *mine = (unsigned char *) base + local * 12288, *to = mine + 4096;
    int w = pgas_win_create(c, PGAS_WORLD, mine, 12288);
    int next = (me + 1) % all, before = (me + all - 1) % all, far = (me + 2) % all, wrong = 0;
    for (int s = 0; s < size_count; s++) {
        int size = sizes[s], odd = s % 3;
        for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
            mine[i] = pattern(me, s, i);
            to[i] = near[i] = 0;
        }
        pgas_barrier(c, PGAS_WORLD);
        pgas_get(c, w, next, odd, to, size);
        wrong += wrong_bytes(to, size, next, s, odd);
        __syncthreads();
        if (threadIdx.x < 32) {
            pgas_get_start_warp(c, w, far, 0, to, size);
            pgas_wait_gets_warp(c);
        }
        __syncthreads();
        wrong += wrong_bytes(to, size, far, s, 0);
        if (size <= 64) {
            pgas_get(c, w, before, 1, near, size);
            wrong += wrong_bytes(near, size, before, s, 1);
        }
        pgas_get_notify(c, w, next, 0, to, size, 5);
        wrong += wrong_bytes(to, size, next, s, 0);
        // The block before has read: now its source may change.
        pgas_wait_notifications(c, 5, 1);
        pgas_barrier(c, PGAS_WORLD);
        // What a third block finds after a barrier.
        for (int i = threadIdx.x; i < size; i += blockDim.x) {
            mine[i] = pattern(me, s + 100, i);
        }
        pgas_put(c, w, next, 8192, mine, size);
        pgas_barrier(c, PGAS_WORLD);
        pgas_get_start(c, w, far, 8192, to, size);
        pgas_wait_gets(c);
        wrong += wrong_bytes(to, size, next, s + 100, 0);
        pgas_flush(c);
        pgas_barrier(c, PGAS_WORLD);
    }
    // Single values: each thread its own word.
    if (threadIdx.x < 32) {
        pgas_p(c, w, next, 8192 + threadIdx.x * 8, (long long) me * 1000 + threadIdx.x);
        pgas_p(c, w, next, 8192 + 512 + threadIdx.x * 4, me + 0.5f);
    }
    pgas_barrier(c, PGAS_WORLD);
    if (threadIdx.x < 32) {
        wrong += pgas_g<long long>(c, w, far, 8192 + threadIdx.x * 8) != (long long) next * 1000 + threadIdx.x;
        wrong += pgas_g<float>(c, w, far, 8192 + 512 + threadIdx.x * 4) != next + 0.5f;
    }
    wrong += pgas_test_notifications(c, 5, 1);
    atomicAdd(errors + local, wrong);
    pgas_win_free(c, w);
    pgas_finish(c);
}
