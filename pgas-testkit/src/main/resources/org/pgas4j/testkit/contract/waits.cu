#include <pgas_device.cuh>

#define ANY 20
#define HOST 40

// Waits for values that the block before writes in several ways. Words are at 0, ints at 512.
__device__ int values(pgas_context *c, int w, char *mine, int next, int round) {
    long long *out = (long long *) (mine + 2048);
    long long first = round * 1000ll;
    int wrong = pgas_test_value(c, w, 0, PGAS_EQUAL, -1ll);
    if (threadIdx.x == 0) {
        out[1] = first + 1;
        out[2] = first + 2;
        pgas_p(c, w, next, 0, first);
    }
    pgas_put_notify(c, w, next, 8, out + 1, 8, 3);
    pgas_put(c, w, next, 16, out + 2, 8);
    if (threadIdx.x < 6) {
        pgas_p(c, w, next, 512 + 4 * threadIdx.x, round * 10 + (int) threadIdx.x);
    }
    pgas_wait_value(c, w, 0, PGAS_EQUAL, first);
    pgas_wait_all_values(c, w, 0, 3, PGAS_GREATER_EQUAL, first);
    wrong += ((volatile long long *) mine)[1] != first + 1;
    wrong += pgas_wait_any_value(c, w, 0, 3, PGAS_GREATER, first + 1) != 2;
    wrong += pgas_test_values(c, w, 0, 3, PGAS_LESS_EQUAL, first + 1) != 2;
    pgas_u64 indices[6];
    pgas_u64 found = 0;
    for (int tries = 0; found != 6 && tries < 100000000; tries++) {
        found = pgas_wait_some_values(c, w, 512, 6, PGAS_GREATER_EQUAL, round * 10, (pgas_u64 *) (mine + 3072));
    }
    for (int i = 0; i < 6; i++) {
        indices[i] = ((volatile pgas_u64 *) (mine + 3072))[i];
        wrong += indices[i] != i;
    }
    wrong += pgas_wait_any_value(c, w, 512, 6, PGAS_EQUAL, round * 10 + 4) != 4;
    pgas_wait_notifications(c, 3, 1);
    return wrong;
}

// Bytes and then a word that orders them, of each size.
__device__ int sets(pgas_context *c, int w, char *mine, int next, int round) {
    int *out = (int *) (mine + 2560), *in = (int *) (mine + 1024), wrong = 0;
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        out[i] = round * 1000 + i;
    }
    pgas_put_set(c, w, next, 1024, out, 400, 640, round);
    pgas_wait_value(c, w, 640, PGAS_EQUAL, round);
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        wrong += in[i] != round * 1000 + i;
    }
    pgas_put_set(c, w, next, 1536, out, 4 * (round % 2), 648, (long long) round);
    pgas_wait_value(c, w, 648, PGAS_EQUAL, (long long) round);
    wrong += round % 2 && ((volatile int *) mine)[384] != round * 1000;
    return __syncthreads_count(wrong);
}

// Waits for notifications of several tags by the block before.
__device__ int tags(pgas_context *c, char *mine, int next, int round) {
    int wrong = 0;
    for (int j = 0; j < 5; j++) {
        for (int k = 0; k <= j; k++) {
            pgas_notify(c, PGAS_WORLD, next, 10 + j);
        }
    }
    pgas_notify(c, PGAS_WORLD, next, ANY + round % 3);
    pgas_notify(c, PGAS_WORLD, next, 30);
    pgas_notify(c, PGAS_WORLD, next, 30);
    wrong += pgas_wait_any_tag(c, ANY, 3) != ANY + round % 3;
    pgas_wait_all_tags(c, 10, 5, 1);
    pgas_u64 *counts = (pgas_u64 *) (mine + 3072), sum = 0, high = 0;
    for (int tries = 0; sum != 10 && tries < 100000000; tries++) {
        wrong += pgas_wait_some_tags(c, 10, 5, counts) < 1;
        for (int j = 0; j < 5; j++) {
            sum += ((volatile pgas_u64 *) counts)[j];
        }
        high += ((volatile pgas_u64 *) counts)[4];
    }
    wrong += high != 4;
    wrong += pgas_test_any_tag(c, 10, 5) != -1;
    for (int tries = 0; pgas_available_notifications(c, 30) != 2 && tries < 100000000; tries++) {
    }
    wrong += pgas_take_notifications(c, 30) != 2;
    wrong += pgas_available_notifications(c, 30) != 0;
    return wrong;
}

extern "C" __global__ void waits(pgas_world world, char *base, int *errors, int rounds) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    char *mine = base + local * 4096;
    int w = pgas_win_create(c, PGAS_WORLD, mine, 4096);
    if (threadIdx.x < 128) {
        ((long long *) mine)[threadIdx.x] = 0;
    }
    pgas_barrier(c, PGAS_WORLD);
    for (int round = 1; round <= rounds; round++) {
        wrong += values(c, w, mine, (me + 1) % all, round);
        wrong += sets(c, w, mine, (me + 1) % all, round);
        wrong += tags(c, mine, (me + 1) % all, round);
        pgas_barrier(c, PGAS_WORLD);
    }
    wrong += pgas_wait_any_tag(c, HOST, 2) != HOST;
    wrong += pgas_test_any_tag(c, 0, 256) != -1;
    if (threadIdx.x == 0) {
        atomicAdd(errors + local, wrong);
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}
