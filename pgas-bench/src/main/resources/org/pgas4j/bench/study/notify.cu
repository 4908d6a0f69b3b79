#include <pgas_device.cuh>

// Half round trips between world block 0 and another; one sample is the mean of a batch of round trips, in ns.
// mode 0: put_notify of bytes; 1: notify only; raw, by one thread each and without the library: 2: relaxed flag;
// 3: payload of 4 bytes, release and acquire; 4: payload and flag in one store.
static __device__ __forceinline__ void round_trips(pgas_world world, char *base, double *samples, int count, int batch,
                                                   int partner, int bytes, int mode, int region) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD);
    char *mine = base + (long long) pgas_rank(c, PGAS_DEVICE) * region;
    int w = pgas_win_create(c, PGAS_WORLD, mine, region);
    if (me == 0 || me == partner) {
        int other = me == 0 ? partner : 0;
        char *out = mine + region / 2;
        char *there = mode >= 2 ? (char *) pgas_ptr(c, w, other) : 0;
        for (int s = -count / 4; s < count; s++) {
            pgas_u64 start = pgas_now();
            for (int i = 0; i < batch; i++) {
                pgas_u64 round = (pgas_u64) (s + count / 4) * batch + i + 1;
                if (mode == 0) {
                    if (me == 0) {
                        pgas_put_notify(c, w, other, 0, out, bytes, 3);
                    }
                    pgas_wait_notifications(c, 3, 1);
                    if (me != 0) {
                        pgas_put_notify(c, w, other, 0, out, bytes, 3);
                    }
                } else if (mode == 1) {
                    if (me == 0) {
                        pgas_notify(c, PGAS_WORLD, other, 3);
                    }
                    pgas_wait_notifications(c, 3, 1);
                    if (me != 0) {
                        pgas_notify(c, PGAS_WORLD, other, 3);
                    }
                } else if (threadIdx.x == 0) {
                    for (int side = 0; side < 2; side++) {
                        if ((side == 0) == (me == 0)) {
                            if (mode == 3) {
                                *(volatile unsigned int *) (there + 256) = (unsigned int) round;
                                pgas_st_release(there, round);
                            } else {
                                pgas_st(there, mode == 4 ? round << 32 | 7 : round);
                            }
                        } else if (mode == 3) {
                            while (pgas_ld_acquire(mine) != round) {
                            }
                        } else {
                            while ((mode == 4 ? pgas_ld(mine) >> 32 : pgas_ld(mine)) != (mode == 4 ? round & 0xffffffffu : round)) {
                            }
                        }
                    }
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

// Blocks of few threads may have more registers.
extern "C" __global__ void __launch_bounds__(128, 1) pingpong(pgas_world world, char *base, double *samples, int count, int batch,
                                                              int partner, int bytes, int mode, int region) {
    round_trips(world, base, samples, count, batch, partner, bytes, mode, region);
}

extern "C" __global__ void __launch_bounds__(512, 1) pingpong_of_many(pgas_world world, char *base, double *samples, int count,
                                                                      int batch, int partner, int bytes, int mode, int region) {
    round_trips(world, base, samples, count, batch, partner, bytes, mode, region);
}

// Many notified puts of rank 0's blocks to rank 1's; how: 0: put_notify; 1: plain copies, one notification at the end.
// times: begin and end of each block, ns.
extern "C" __global__ void __launch_bounds__(1024, 1) flood(pgas_world world, char *base, unsigned long long *times, int blocks,
                                                            int puts, int bytes, int how, int wanted) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE), per = pgas_size(c, PGAS_DEVICE), host = pgas_host_rank(c);
    char *mine = base + (long long) local * bytes;
    int w = pgas_win_create(c, PGAS_WORLD, mine, bytes);
    if (host == 0 && local < blocks) {
        int other = wanted + local;
        char *there = (char *) pgas_ptr(c, w, other);
        pgas_u64 start = pgas_now();
        for (int i = 0; i < puts; i++) {
            if (how == 0) {
                pgas_put_notify(c, w, other, 0, mine, bytes, 1);
            } else {
                pgas_copy(there, mine, bytes, threadIdx.x, blockDim.x);
            }
        }
        if (how == 1) {
            pgas_notify(c, PGAS_WORLD, other, 1);
        }
        pgas_wait_notifications(c, 2, 1);
        if (threadIdx.x == 0) {
            times[2 * local] = start;
            times[2 * local + 1] = pgas_now();
        }
    } else {
        int me = pgas_rank(c, PGAS_WORLD) - wanted;
        if (me >= 0 && me < blocks) {
            pgas_wait_notifications(c, 1, how == 0 ? puts : 1);
            pgas_notify(c, PGAS_WORLD, me, 2);
        }
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}

// Barriers; a sample is the mean of a batch, in ns.
extern "C" __global__ void barriers(pgas_world world, double *samples, int count, int batch, int comm) {
    pgas_context *c = pgas_init(world);
    pgas_barrier(c, PGAS_WORLD);
    for (int s = -count / 4; s < count; s++) {
        pgas_u64 start = pgas_now();
        for (int i = 0; i < batch; i++) {
            pgas_barrier(c, comm);
        }
        if (pgas_rank(c, PGAS_WORLD) == 0 && threadIdx.x == 0 && s >= 0) {
            samples[s] = (double) (pgas_now() - start) / batch;
        }
    }
    pgas_finish(c);
}

// All-reduces of floats; a sample is the mean of a batch, in ns. Members are the blocks of a device, or those of the same number on all
// ranks. A block's region: memory of the split, then `bytes` of sums.
__device__ __forceinline__ void sum_all(pgas_world world, char *base, double *samples, int count, int batch, int comm, int bytes,
                                        int region) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE);
    char *mine = base + (long long) local * region;
    float *sums = (float *) (mine + region - bytes);
    pgas_split s = pgas_split_create(c, comm, comm == PGAS_WORLD ? local : 0, 0, mine, region - bytes);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        sums[i] = 0;
    }
    for (int k = -count / 4; k < count; k++) {
        pgas_u64 start = pgas_now();
        for (int i = 0; i < batch; i++) {
            pgas_all_reduce(c, s, sums, sums, (pgas_u64) bytes / 4, PGAS_REDUCE_SUM);
        }
        if (pgas_rank(c, PGAS_WORLD) == 0 && threadIdx.x == 0 && k >= 0) {
            samples[k] = (double) (pgas_now() - start) / batch;
        }
    }
    pgas_split_free(c, s);
    pgas_finish(c);
}

extern "C" __global__ void __launch_bounds__(128, 1) all_reduces(pgas_world world, char *base, double *samples, int count, int batch,
                                                                int comm, int bytes, int region) {
    sum_all(world, base, samples, count, batch, comm, bytes, region);
}

extern "C" __global__ void __launch_bounds__(512, 1) all_reduces_of_many(pgas_world world, char *base, double *samples, int count,
                                                                         int batch, int comm, int bytes, int region) {
    sum_all(world, base, samples, count, batch, comm, bytes, region);
}

// A block and the host of a rank notify each other; block -1 stands for the first block of every rank.
extern "C" __global__ void echo(pgas_world world, int rounds, int block, int host) {
    pgas_context *c = pgas_init(world);
    if (block < 0 ? pgas_rank(c, PGAS_DEVICE) == 0 : pgas_rank(c, PGAS_WORLD) == block) {
        for (int i = 0; i < rounds; i++) {
            pgas_wait_notifications(c, 5, 1);
            pgas_notify_host(c, host, 6);
        }
    }
    pgas_finish(c);
}

// What a notification through the host is made of. Block 0: a sample is how long the call takes, in ns, one at a time. Then all
// blocks of rank 0 have sent `each`: the host's timer 0 says how long it took to carry them out, one behind the other.
extern "C" __global__ void parts(pgas_world world, double *samples, int count, int each) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), block = pgas_rank(c, PGAS_DEVICE), per = pgas_size(c, PGAS_DEVICE);
    if (me == 0) {
        for (int s = 0; s < count; s++) {
            pgas_u64 start = pgas_now();
            pgas_notify(c, PGAS_WORLD, per, 7);
            if (threadIdx.x == 0) {
                samples[s] = (double) (pgas_now() - start);
            }
            pgas_wait_notifications(c, 8, 1);
        }
    } else if (me == per) {
        for (int s = 0; s < count; s++) {
            pgas_wait_notifications(c, 7, 1);
            pgas_notify(c, PGAS_WORLD, 0, 8);
        }
    }
    pgas_barrier(c, PGAS_WORLD);
    if (pgas_host_rank(c) == 0) {
        if (block == 0) {
            pgas_timer_start(c, 0);
        }
        pgas_barrier(c, PGAS_DEVICE);
        for (int s = 0; s < each; s++) {
            pgas_notify(c, PGAS_WORLD, per + block, 9);
        }
        pgas_barrier(c, PGAS_DEVICE);
        if (block == 0) {
            pgas_timer_stop(c, 0);
        }
    } else if (pgas_host_rank(c) == 1) {
        pgas_wait_notifications(c, 9, each);
    }
    pgas_finish(c);
}
