#include <pgas_device.cuh>

__device__ unsigned long long crowd_value(int sender, int lane, int round) {
    return (unsigned long long) (sender * 8191 + lane) << 32 | (unsigned int) (round + 1);
}

// All threads of all blocks send at once, each to another block in each round; then warps do, then blocks. forms: 1 threads, 2 warps,
// 4 blocks, 8 half of the warps by threads while the others send as warps. Every sender has a place of its own in every block; the last
// that came to it must be there when the notifications are.
extern "C" __global__ void __launch_bounds__(1024) crowd(pgas_world world, char *base, long long region, int *errors, int rounds, int bytes, int forms,
                                 int threads) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE);
    int lanes = threads + threads / 32 + 1, warp = threadIdx.x / 32, words = bytes / 8, wrong = 0;
    char *mine = base + (long long) local * region;
    unsigned long long *out = (unsigned long long *) (mine + (long long) all * lanes * bytes);
    int w = pgas_win_create(c, PGAS_WORLD, mine, region);
    int split = forms & 8, half = warp & 1;
    for (int round = 0; round < rounds; round++) {
        if ((forms & 1) || split && half == 0) {
            unsigned long long *src = out + (long long) threadIdx.x * words;
            unsigned long long inl = crowd_value(me, threadIdx.x, round);
            for (int i = 0; i < words; i++) {
                src[i] = words == 1 ? inl : crowd_value(me, threadIdx.x, 0);
            }
            pgas_put_notify_thread(c, w, (me + threadIdx.x + round) % all, ((long long) me * lanes + threadIdx.x) * bytes, src, bytes, 1);
        }
        if ((forms & 2) || split && half == 1) {
            unsigned long long *src = out + (long long) (threads + warp) * words;
            __syncwarp();
            for (int i = threadIdx.x & 31; i < words; i += 32) {
                src[i] = crowd_value(me, threads + warp, words == 1 ? round : 0);
            }
            pgas_put_notify_warp(c, w, (me + warp + round) % all, ((long long) me * lanes + threads + warp) * bytes, src, bytes, 2);
        }
        if (forms & 4) {
            unsigned long long *src = out + (long long) (lanes - 1) * words;
            __syncthreads();
            for (int i = threadIdx.x; i < words; i += blockDim.x) {
                src[i] = crowd_value(me, lanes - 1, words == 1 ? round : 0);
            }
            pgas_put_notify(c, w, (me + round) % all, ((long long) me * lanes + lanes - 1) * bytes, src, bytes, 3);
        }
    }
    int by_threads = 0, by_warps = 0;
    for (int t = 0; t < threads; t++) {
        by_threads += (forms & 1) || split && (t / 32 & 1) == 0;
    }
    for (int k = 0; k < threads / 32; k++) {
        by_warps += (forms & 2) || split && (k & 1) == 1;
    }
    pgas_flush(c);
    pgas_wait_notifications(c, 1, (pgas_u64) by_threads * rounds);
    pgas_wait_notifications(c, 2, (pgas_u64) by_warps * rounds);
    pgas_wait_notifications(c, 3, (forms & 4) ? rounds : 0);
    for (int k = threadIdx.x; k < all * lanes; k += blockDim.x) {
        int sender = k / lanes, lane = k % lanes, of = lane < threads ? lane : lane < lanes - 1 ? lane - threads : 0;
        bool sends = lane < threads ? (forms & 1) || split && (lane / 32 & 1) == 0
                : lane < lanes - 1 ? (forms & 2) || split && (of & 1) == 1 : (forms & 4) != 0;
        int last = rounds - 1 - (((rounds - 1 - (me - sender - of)) % all) + all) % all;
        for (int i = 0; i < words && sends && last >= 0; i++) {
            unsigned long long seen = ((volatile unsigned long long *) mine)[(long long) k * words + i];
            wrong += seen != crowd_value(sender, lane, words == 1 ? last : 0);
        }
    }
    wrong += pgas_test_notifications(c, 1, 1) || pgas_test_notifications(c, 2, 1) || pgas_test_notifications(c, 3, 1);
    pgas_win_free(c, w);
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}

// Every block sends to every block in each round: first a thread for each target, then its warps in turn.
extern "C" __global__ void each(pgas_world world, char *base, long long region, int *errors, int rounds) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    unsigned long long *mine = (unsigned long long *) (base + (long long) local * region);
    unsigned long long *out = mine + 2 * all;
    int w = pgas_win_create(c, PGAS_WORLD, mine, region);
    for (int round = 0; round < rounds; round++) {
        for (int target = threadIdx.x; target < all; target += blockDim.x) {
            out[target] = crowd_value(me, 0, round);
            pgas_put_notify_thread(c, w, target, me * 8, out + target, 8, 1);
        }
        for (int target = threadIdx.x / 32; target < all; target += blockDim.x / 32) {
            if ((threadIdx.x & 31) == 0) {
                out[all + target] = crowd_value(me, 1, round);
            }
            pgas_put_notify_warp(c, w, target, (all + me) * 8, out + all + target, 8, 2);
        }
    }
    pgas_wait_notifications(c, 1, (pgas_u64) all * rounds);
    pgas_wait_notifications(c, 2, (pgas_u64) all * rounds);
    for (int k = threadIdx.x; k < 2 * all; k += blockDim.x) {
        wrong += ((volatile unsigned long long *) mine)[k] != crowd_value(k % all, k / all, rounds - 1);
    }
    wrong += pgas_test_notifications(c, 1, 1) || pgas_test_notifications(c, 2, 1);
    pgas_win_free(c, w);
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}

// Sources of puts in a thread's own memory, in the block's and in the device's private memory.
extern "C" __global__ void anywhere(pgas_world world, char *base, char *own, int *errors) {
    pgas_context *c = pgas_init(world);
    __shared__ char of_block[1000];
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    int to = (me + 1) % all, from = (me + all - 1) % all;
    char *mine = base + local * 4096;
    char *device = own + local * 1000;
    char of_thread[44];
    int w = pgas_win_create(c, PGAS_WORLD, mine, 4096);
    for (int i = 0; i < 44; i++) {
        of_thread[i] = (char) (me * 7 + i);
    }
    for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
        of_block[i] = (char) (me * 11 + i);
        device[i] = (char) (me * 13 + i);
    }
    if (threadIdx.x == blockDim.x - 1) {
        pgas_put_notify_thread(c, w, to, 3, of_thread, 44, 1);
    }
    pgas_put_notify(c, w, to, 1000, of_block, 1000, 1);
    pgas_put(c, w, to, 2000, device, 999);
    pgas_notify(c, PGAS_WORLD, to, 1);
    pgas_wait_notifications(c, 1, 3);
    for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
        volatile char *in = mine;
        wrong += i < 44 && in[3 + i] != (char) (from * 7 + i);
        wrong += in[1000 + i] != (char) (from * 11 + i);
        wrong += i < 999 && in[2000 + i] != (char) (from * 13 + i);
    }
    pgas_win_free(c, w);
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}

// Block 0 of rank 0 leaves one barrier of its device out.
extern "C" __global__ void skip(pgas_world world, int skips) {
    pgas_context *c = pgas_init(world);
    if (!skips || pgas_rank(c, PGAS_WORLD) != 0) {
        pgas_barrier(c, PGAS_DEVICE);
    }
    pgas_finish(c);
}
