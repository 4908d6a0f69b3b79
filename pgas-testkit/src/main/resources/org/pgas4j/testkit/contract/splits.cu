#include <pgas_device.cuh>

__device__ unsigned char pattern(int from, int to, int i) {
    return (unsigned char) (from * 37 + to * 11 + i * 5 + 1);
}

// Each member's value to the next, and what is there after a barrier.
__device__ int barriers(pgas_context *c, pgas_split s, int w, long long at, char *data, int round) {
    int r = pgas_split_rank(s), n = pgas_split_size(s), wrong = 0;
    if (threadIdx.x == 0) {
        pgas_p(c, w, pgas_split_member(s, (r + 1) % n), at, round * 100ll + r);
    }
    pgas_split_barrier(c, s);
    wrong += *(volatile long long *) data != round * 100ll + (r + n - 1) % n;
    pgas_split_barrier(c, s);
    return wrong;
}

__device__ int moves(pgas_context *c, pgas_split s, char *data, int all) {
    int r = pgas_split_rank(s), n = pgas_split_size(s), wrong = 0, root = n - 1;
    unsigned char *src = (unsigned char *) data, *dst = src + 1024 + 40 * all;
    for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
        src[i] = r == root ? pattern(root, 0, i) : 0;
    }
    pgas_broadcast(c, s, root, src, 1000);
    for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
        wrong += src[i] != pattern(root, 0, i);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 40 * n; i += blockDim.x) {
        src[i] = pattern(r, i / 40, i % 40);
    }
    pgas_all_to_all(c, s, dst, src, 40);
    for (int i = threadIdx.x; i < 40 * n; i += blockDim.x) {
        wrong += dst[i] != pattern(i / 40, r, i % 40);
    }
    return wrong;
}

__device__ int sums(pgas_context *c, pgas_split s, char *data) {
    __shared__ int near[20];
    int r = pgas_split_rank(s), n = pgas_split_size(s), wrong = 0;
    long long *words = (long long *) data, *result = words + 100;
    double *reals = (double *) data;
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        words[i] = (r + 1ll) * (i + 1);
    }
    pgas_all_reduce(c, s, result, words, 100, PGAS_REDUCE_SUM);
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        wrong += result[i] != (long long) n * (n + 1) / 2 * (i + 1);
    }
    pgas_scan(c, s, words, words, 100, PGAS_REDUCE_SUM);
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        wrong += words[i] != (r + 1ll) * (r + 2) / 2 * (i + 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        reals[i] = r - i * 0.5;
    }
    pgas_all_reduce(c, s, reals, reals, 100, PGAS_REDUCE_MAX);
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        wrong += reals[i] != n - 1 - i * 0.5;
    }
    for (int i = threadIdx.x; i < 20; i += blockDim.x) {
        near[i] = 1 << (r % 8);
    }
    pgas_reduce(c, s, 0, (int *) result, near, 20, PGAS_REDUCE_OR);
    for (int i = threadIdx.x; i < 20; i += blockDim.x) {
        wrong += r == 0 && ((int *) result)[i] != (n >= 8 ? 255 : (1 << n) - 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 20; i += blockDim.x) {
        near[i] = r - 1;
    }
    pgas_reduce(c, s, 0, (int *) result, near, 20, PGAS_REDUCE_UNSIGNED_MAX);
    for (int i = threadIdx.x; i < 20; i += blockDim.x) {
        wrong += r == 0 && ((int *) result)[i] != -1;
    }
    return wrong;
}

// Small arrays several times in a row, of elements that do not fill their packets; sums of floats show the order of the members.
__device__ int small_sums(pgas_context *c, pgas_split s, char *data) {
    int n = pgas_split_size(s), r = pgas_split_rank(s), wrong = 0;
    int *ints = (int *) data + 1, *totals = ints + 40;
    float *floats = (float *) data + 1;
    for (int turn = 0; turn < 5; turn++) {
        for (int i = threadIdx.x; i < 31; i += blockDim.x) {
            ints[i] = (r + 1) * (i + turn);
        }
        pgas_all_reduce(c, s, totals, ints, 31, PGAS_REDUCE_SUM);
        for (int i = threadIdx.x; i < 31; i += blockDim.x) {
            wrong += totals[i] != n * (n + 1) / 2 * (i + turn);
        }
    }
    __syncthreads();
    float sum = 0.1f;
    for (int m = 1; m < n; m++) {
        sum += 0.1f * (m + 1);
    }
    for (int i = threadIdx.x; i < 9; i += blockDim.x) {
        floats[i] = 0.1f * (r + 1);
    }
    pgas_all_reduce(c, s, floats, floats, 9, PGAS_REDUCE_SUM);
    for (int i = threadIdx.x; i < 9; i += blockDim.x) {
        wrong += floats[i] != sum;
    }
    __syncthreads();
    return wrong;
}

// In place, from no elements to more than a thread reads at once; what is behind them stays.
__device__ int sums_of_sizes(pgas_context *c, pgas_split s, char *data, int bytes) {
    int n = pgas_split_size(s), r = pgas_split_rank(s), wrong = 0;
    int *ints = (int *) data + 1;
    for (int turn = 0; turn < 3; turn++) {
        pgas_all_reduce(c, s, ints, ints, 0, PGAS_REDUCE_SUM);
    }
    for (int count = 0; 4 * (count + 2) <= bytes; count += count / 2 + 1) {
        for (int i = threadIdx.x; i <= count; i += blockDim.x) {
            ints[i] = i == count ? -5 : (r + 1) * (i + count);
        }
        pgas_all_reduce(c, s, ints, ints, count, PGAS_REDUCE_SUM);
        for (int i = threadIdx.x; i <= count; i += blockDim.x) {
            wrong += ints[i] != (i == count ? -5 : n * (n + 1) / 2 * (i + count));
        }
        __syncthreads();
    }
    return wrong;
}

// Even and odd blocks, backwards; then all blocks of the device but the first. A block's region: half for the split, half
// for data.
extern "C" __global__ void splits(pgas_world world, char *base, int *errors, long long half, int rounds) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    int locals = pgas_size(c, PGAS_DEVICE);
    char *mine = base + local * 2 * half, *data = mine + half;
    int w = pgas_win_create(c, PGAS_WORLD, data, half);
    wrong += pgas_split_bytes(c, PGAS_WORLD, 64 * all) > half;
    pgas_split s = pgas_split_create(c, PGAS_WORLD, me % 2, -me, mine, pgas_split_bytes(c, PGAS_WORLD, 64 * all));
    wrong += pgas_split_size(s) != (all - me % 2 + 1) / 2;
    wrong += pgas_split_rank(s) != (all - 1 - me) / 2;
    wrong += pgas_split_member(s, pgas_split_rank(s)) != me;
    for (int round = 1; round <= rounds; round++) {
        wrong += barriers(c, s, w, half - 64, data + half - 64, round);
        int these = moves(c, s, data, all);
        __syncthreads();
        these += sums(c, s, data);
        __syncthreads();
        these += small_sums(c, s, data);
        these += sums_of_sizes(c, s, data, half - 64);
        atomicAdd(errors + local, these);
        __syncthreads();
    }
    pgas_split_free(c, s);
    s = pgas_split_create(c, PGAS_DEVICE, local == 0 ? -1 : 7, 0, mine, half);
    wrong += pgas_split_rank(s) != local - 1;
    wrong += pgas_split_size(s) != (local == 0 ? 0 : locals - 1);
    if (local != 0) {
        int these = sums(c, s, data);
        __syncthreads();
        these += small_sums(c, s, data);
        these += sums_of_sizes(c, s, data, half - 64);
        atomicAdd(errors + local, these);
    }
    pgas_split_free(c, s);
    if (threadIdx.x == 0) {
        atomicAdd(errors + local, wrong);
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}
