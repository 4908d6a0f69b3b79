#include <pgas_device.cuh>

#define TAGS 3
#define EACH 0   // tag of which each block sends each one
#define SOME 1   // and of which block r sends r % 3 + 1
#define MANY 2   // the threads of the block before
#define HALF 16384

__device__ int pattern(int from, int to, int i) {
    return from * 7919 + to * 104729 + i;
}

// Each block puts to each, of several sizes; waits for the sources from the last to the first.
__device__ int puts(pgas_context *c, pgas_source_window w, char *mine, int slot, int round) {
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), wrong = 0;
    int *out = (int *) (mine + HALF), count = 1 + (round * 37 + me) % (slot / 4);
    for (int to = 0; to < all; to++) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            out[i] = pattern(me, to, round + i);
        }
        pgas_put_notify(c, w, to, me * slot, out, 4 * count, EACH);
        pgas_flush(c);
    }
    for (int from = all - 1; from >= 0; from--) {
        pgas_wait_source(c, w, from, EACH, 1);
        const int *in = (const int *) (mine + from * slot);
        for (int i = threadIdx.x; i < 1 + (round * 37 + from) % (slot / 4); i += blockDim.x) {
            wrong += in[i] != pattern(from, me, round + i);
        }
    }
    wrong += pgas_test_any_source(c, w, EACH) != -1;
    return wrong;
}

// Counts of all sources, in each form.
__device__ int counts(pgas_context *c, pgas_source_window w, char *mine, int round) {
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), wrong = 0, sum = 0;
    for (int k = 0; k < all * (me % 3 + 1); k++) {
        pgas_notify(c, w, k % all, SOME);
    }
    for (int from = 0; from < all; from++) {
        sum += from % 3 + 1;
    }
    if (round % 4 == 0) {
        pgas_wait_source(c, w, PGAS_ANY_SOURCE, SOME, sum);
    } else if (round % 4 == 1) {
        for (int from = 0; from < all; from++) {
            for (int tries = 0; !pgas_test_source(c, w, from, SOME, from % 3 + 1) && tries < 100000000; tries++) {
            }
        }
    } else if (round % 4 == 2) {
        int rest = sum;
        pgas_u64 from = 0;
        while (rest-- > 0) {
            from += pgas_wait_any_source(c, w, SOME);
        }
        for (int r = 0; r < all; r++) {
            from -= r * (r % 3 + 1);
        }
        wrong += from != 0;
    } else {
        pgas_u64 *seen = (pgas_u64 *) (mine + HALF);
        int rest = sum;
        for (int tries = 0; rest > 0 && tries < 100000000; tries++) {
            int some = 0, found = pgas_wait_some_sources(c, w, SOME, seen);
            for (int r = 0; r < all; r++) {
                some += seen[r] != 0;
                rest -= (int) seen[r];
            }
            wrong += found != some;
            __syncthreads();
        }
        wrong += rest != 0;
    }
    wrong += pgas_available_source(c, w, PGAS_ANY_SOURCE, SOME) != 0;
    return wrong;
}

// Notifications by the threads of a block at once, behind its earlier small put by the same number of the window.
__device__ int threads(pgas_context *c, pgas_source_window w, char *mine, int slot, int round) {
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), next = (me + 1) % all, from = (me + all - 1) % all;
    int *out = (int *) (mine + HALF), wrong = 0;
    if (threadIdx.x == 0) {
        out[0] = pattern(me, next, round);
    }
    pgas_put_notify(c, pgas_sources_window(w), next, me * slot, out, 4, 5);
    if (threadIdx.x < 40) {
        pgas_notify_thread(c, w, next, MANY);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        pgas_put_notify_warp(c, w, next, me * slot + 8, out, 4, MANY);
    }
    pgas_wait_source(c, w, from, MANY, blockDim.x < 40 ? blockDim.x + 1 : 41);
    wrong += ((volatile int *) (mine + from * slot))[0] != pattern(from, me, round);
    wrong += ((volatile int *) (mine + from * slot))[2] != pattern(from, me, round);
    wrong += !pgas_test_notifications(c, 5, 1);
    wrong += pgas_available_source(c, w, from, MANY) != 0;
    pgas_barrier(c, PGAS_WORLD);  // before the next of these puts
    return wrong;
}

extern "C" __global__ void sources(pgas_world world, char *base, int *errors, long long region, int rounds) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE), all = pgas_size(c, PGAS_WORLD), wrong = 0;
    char *mine = base + local * region;
    int slot = HALF / all / 16 * 16;
    pgas_u64 bytes = pgas_sources_bytes(c, PGAS_WORLD, TAGS);
    for (int time = 0; time < 2; time++) {
        pgas_source_window w = pgas_win_create_sources(c, PGAS_WORLD, mine, 2 * HALF, TAGS, mine + 2 * HALF, bytes);
        for (int round = 0; round < rounds; round++) {
            wrong += puts(c, w, mine, slot, round);
            wrong += counts(c, w, mine, round);
            wrong += threads(c, w, mine, slot, round);
        }
        pgas_win_free_sources(c, w);
    }
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}
