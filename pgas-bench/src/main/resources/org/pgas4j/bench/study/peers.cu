#include <pgas_device.cuh>

// Half round trips between world block 0 and another, as programs of peers measure theirs.

static __device__ void send(pgas_context *c, int w, int other, const char *out, int bytes, int alone) {
    if (alone) {
        pgas_notify(c, PGAS_WORLD, other, 3);
    } else {
        pgas_put_notify(c, w, other, 0, out, bytes, 3);
    }
}

static __device__ __forceinline__ void pingpong(pgas_world &world, char *base, double *samples, int count, int batch, int partner,
                                                int bytes, int alone, int region) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD);
    char *mine = base + (long long) pgas_rank(c, PGAS_DEVICE) * region;
    int w = pgas_win_create(c, PGAS_WORLD, mine, region);
    if (me == 0 || me == partner) {
        int other = me == 0 ? partner : 0;
        char *out = mine + region / 2;
        for (int s = -count / 4; s < count; s++) {
            pgas_u64 start = pgas_now();
            for (int i = 0; i < batch; i++) {
                if (me == 0) {
                    send(c, w, other, out, bytes, alone);
                }
                pgas_wait_notifications(c, 3, 1);
                if (me != 0) {
                    send(c, w, other, out, bytes, alone);
                }
            }
            if (me == 0 && threadIdx.x == 0 && s >= 0) {
                samples[s] = (double) (pgas_now() - start) / batch / 2;
            }
        }
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}

// A sample is the mean of a batch of round trips, in ns. alone: notifications only. Blocks of few threads may have more
// registers.
extern "C" __global__ void __launch_bounds__(128, 1)
peer_pingpong(pgas_world world, char *base, double *samples, int count, int batch, int partner, int bytes, int alone,
              int region) {
    pingpong(world, base, samples, count, batch, partner, bytes, alone, region);
}

extern "C" __global__ void __launch_bounds__(512, 1)
peer_pingpong_of_many(pgas_world world, char *base, double *samples, int count, int batch, int partner, int bytes, int alone,
                      int region) {
    pingpong(world, base, samples, count, batch, partner, bytes, alone, region);
}

static __device__ char value(int round, int i, int of) {
    return (char) (round * 31 + i * 7 + of * 101 + 1);
}

// The same with other bytes each time, which the receiver compares: wrong[0] counts those that differ.
extern "C" __global__ void __launch_bounds__(512, 1)
peer_checked(pgas_world world, char *base, unsigned long long *wrong, int rounds, int partner, int bytes, int region) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD);
    char *mine = base + (long long) pgas_rank(c, PGAS_DEVICE) * region;
    int w = pgas_win_create(c, PGAS_WORLD, mine, region);
    if (me == 0 || me == partner) {
        int other = me == 0 ? partner : 0;
        char *out = mine + region / 2;
        for (int r = 0; r < rounds; r++) {
            for (int i = threadIdx.x; i < bytes; i += blockDim.x) {
                out[i] = value(r, i, me);
            }
            __syncthreads();
            if (me == 0) {
                send(c, w, other, out, bytes, 0);
            }
            pgas_wait_notifications(c, 3, 1);
            for (int i = threadIdx.x; i < bytes; i += blockDim.x) {
                if (((volatile char *) mine)[i] != value(r, i, other)) {
                    atomicAdd(wrong, 1ull);
                }
            }
            __syncthreads();
            if (me != 0) {
                send(c, w, other, out, bytes, 0);
            }
            pgas_flush(c);
            __syncthreads();
        }
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}

// Barriers between which each block writes a number to all others: wrong[0] counts those that are not there afterwards.
extern "C" __global__ void peer_barriers_checked(pgas_world world, char *base, unsigned long long *wrong, int rounds) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), blocks = pgas_size(c, PGAS_WORLD);
    int *mine = (int *) base + (long long) pgas_rank(c, PGAS_DEVICE) * blocks;
    int w = pgas_win_create(c, PGAS_WORLD, mine, (pgas_u64) blocks * 4);
    for (int r = 1; r <= rounds; r++) {
        for (int to = threadIdx.x; to < blocks; to += blockDim.x) {
            pgas_p(c, w, to, (pgas_u64) me * 4, r);
        }
        pgas_barrier(c, PGAS_WORLD);
        for (int from = threadIdx.x; from < blocks; from += blockDim.x) {
            if (((volatile int *) mine)[from] != r) {
                atomicAdd(wrong, 1ull);
            }
        }
        pgas_barrier(c, PGAS_WORLD);
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}
