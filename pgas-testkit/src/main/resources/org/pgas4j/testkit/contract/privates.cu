#include <pgas_device.cuh>

#define TAG 1
#define ANSWER 2
#define HALF 16384
#define WORD 12288  // place of a word, and of one for atomic operations behind it

__device__ int pattern(int from, int round, int i) {
    return from * 7919 + round * 104729 + i;
}

// Puts of all sizes to the next block of a communicator, gets from it and operations on its words, in windows over private memory.
extern "C" __global__ void privates(pgas_world world, char *base, int *errors, long long region, int comm, int rounds) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, comm), all = pgas_size(c, comm), local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    char *mine = base + local * region;
    int *in = (int *) mine, *out = (int *) (mine + HALF), next = (me + 1) % all, before = (me + all - 1) % all;
    if (threadIdx.x == 0) {
        *(long long *) (mine + WORD) = *(long long *) (mine + WORD + 8) = 0;
    }
    int w = pgas_win_create(c, comm, mine, region);
    for (int round = 1; round <= rounds; round++) {
        int bytes = round % 4 == 0 ? 4 : round % 4 == 1 ? 8 : round % 4 == 2 ? 600 : 8192;
        for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
            out[i] = pattern(me, round, i);
        }
        pgas_put_notify(c, w, next, 0, out, bytes, TAG);
        pgas_wait_notifications(c, TAG, 1);
        for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
            wrong += in[i] != pattern(before, round, i);
        }
        pgas_barrier(c, comm);  // all sources are written
        pgas_get(c, w, next, HALF, mine + HALF + 8192, bytes);
        for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
            wrong += out[2048 + i] != pattern(next, round, i);
        }
        pgas_put_set(c, w, next, 8192, out, bytes < 4096 ? bytes : 4096, WORD, (long long) round);
        pgas_wait_value(c, w, WORD, PGAS_GREATER_EQUAL, (long long) round);
        wrong += *(volatile int *) (mine + 8192) != pattern(before, round, 0);
        if (threadIdx.x == 0) {
            pgas_atomic(c, w, next, WORD + 8, PGAS_ATOMIC_ADD, 3ll);
        }
        pgas_barrier(c, comm);
        wrong += *(volatile long long *) (mine + WORD + 8) != 3ll * round;
        pgas_barrier(c, comm);
    }
    int *there = (int *) pgas_ptr(c, w, next);
    if (threadIdx.x == 0 && there != 0) {
        there[0] = me;
    }
    pgas_notify(c, comm, next, ANSWER);
    pgas_wait_notifications(c, ANSWER, 1);
    wrong += there == 0 || *(volatile int *) in != before;
    atomicAdd(errors + local, wrong);
    pgas_win_free(c, w);
    pgas_finish(c);
}
