#include <pgas_device.cuh>

#define FROM_BELOW 1
#define FROM_ABOVE 2
#define PART 8192

__device__ int pattern(int from, int round, int i) {
    return from * 7919 + round * 104729 + i;
}

// Blocks that exchange with the same block of the ranks below and above theirs, in two windows, of which one is made anew in every
// round. Each then puts to block `stranger`, if that is not negative, or makes a split of all blocks if it is -2.
extern "C" __global__ void partners(pgas_world world, char *base, int *errors, long long region, int rounds, int stranger) {
    pgas_context *c = pgas_init(world);
    int blocks = pgas_size(c, PGAS_DEVICE), all = pgas_size(c, PGAS_WORLD), me = pgas_rank(c, PGAS_WORLD), wrong = 0;
    int local = pgas_rank(c, PGAS_DEVICE), hosts = all / blocks, host = pgas_host_rank(c);
    char *mine = base + local * region;  // what comes from below, from above, what goes, what is got
    int w = pgas_win_create(c, PGAS_WORLD, mine, region - 16 * local);
    for (int other = 0; other < all; other++) {
        int far = other / blocks - host;
        long long bytes = far < -1 || far > 1 ? 0 : region - 16 * (other % blocks);
        wrong += (long long) pgas_win_bytes(c, w, other) != bytes;
    }
    if (stranger == -2) {
        pgas_split_create(c, PGAS_WORLD, 0, 0, mine, region);
    } else if (stranger >= 0) {
        pgas_put(c, w, stranger, 0, mine, 8);
    }
    int *out = (int *) (mine + 2 * PART);
    for (int round = 1; round <= rounds; round++) {
        int bytes = round % 4 == 0 ? 4 : round % 4 == 1 ? 8 : round % 4 == 2 ? 600 : PART, words = bytes / 4;
        for (int i = threadIdx.x; i < words; i += blockDim.x) {
            out[i] = pattern(me, round, i);
        }
        int part = pgas_win_create(c, PGAS_WORLD, mine + PART, PART);
        if (host > 0) {
            pgas_put_notify(c, part, me - blocks, 0, out, bytes, FROM_ABOVE);
        }
        if (host < hosts - 1) {
            pgas_put_notify(c, w, me + blocks, 0, out, bytes, FROM_BELOW);
        }
        pgas_wait_notifications(c, FROM_BELOW, host > 0);
        pgas_wait_notifications(c, FROM_ABOVE, host < hosts - 1);
        for (int i = threadIdx.x; i < words; i += blockDim.x) {
            wrong += host > 0 && ((int *) mine)[i] != pattern(me - blocks, round, i);
            wrong += host < hosts - 1 && ((int *) (mine + PART))[i] != pattern(me + blocks, round, i);
        }
        for (int side = -1; side <= 1; side += 2) {
            int other = me + side * blocks;
            if (other >= 0 && other < all) {
                pgas_get(c, w, other, 2 * PART, mine + 3 * PART, bytes);
                for (int i = threadIdx.x; i < words; i += blockDim.x) {
                    wrong += ((int *) (mine + 3 * PART))[i] != pattern(other, round, i);
                }
            }
        }
        pgas_win_free(c, part);  // all have read
    }
    atomicAdd(errors + local, wrong);
    pgas_win_free(c, w);
    pgas_finish(c);
}
