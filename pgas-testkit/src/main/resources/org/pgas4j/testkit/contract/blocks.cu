#include <pgas_device.cuh>

__device__ unsigned int mix(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int h = a * 0x9E3779B1u ^ b * 0x85EBCA77u ^ c * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    return h;
}

// Every block sends to three others, by all sizes, groups of threads and both ways of notifying, and checks what it gets.
extern "C" __global__ void exercise(pgas_world world, char *base, int *errors, const int *sizes, int size_count, int rounds,
                                    int region) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE);
    int locals = pgas_size(c, PGAS_DEVICE);
    int slot = region / 8, wrong = 0;
    char *mine = base + (long long) local * region;
    int w = pgas_win_create(c, PGAS_WORLD, mine, region - 16 * (me % 3));
    int d = pgas_win_create(c, PGAS_DEVICE, mine, region / 2);
    int distance[3] = {1 % all, (all - 1) % all, locals % all};
    for (int i = 0; i < all; i += 5) {
        wrong += pgas_win_bytes(c, w, i) != region - 16 * (i % 3);
    }
    for (int round = 0; round < rounds; round++) {
        for (int s = 0; s < size_count; s++) {
            int size = sizes[s];
            for (int k = 0; k < 3; k++) {
                int target = (me + distance[k]) % all;
                unsigned char *src = (unsigned char *) mine + region / 2 + k * slot;
                for (int i = threadIdx.x; i < size; i += blockDim.x) {
                    src[i] = (unsigned char) (mix(me, round * 31 + s, i / 4) >> (8 * (i % 4)));
                }
                __syncthreads();
                int how = (round + s + k) % 4;
                if (how == 0) {
                    pgas_put(c, w, target, k * slot, src, size);
                    pgas_notify(c, PGAS_WORLD, target, k);
                } else if (how == 1) {
                    if (threadIdx.x < 32) {
                        pgas_put_notify_warp(c, w, target, k * slot, src, size, k);
                    }
                    __syncthreads();
                } else if (how == 2 && size <= 64) {
                    if (threadIdx.x == blockDim.x - 1) {
                        pgas_put_notify_thread(c, w, target, k * slot, src, size, k);
                    }
                    __syncthreads();
                } else {
                    pgas_put_notify(c, w, target, k * slot, src, size, k);
                }
            }
            for (int k = 0; k < 3; k++) {
                int source = (me + all - distance[k]) % all;
                if (round % 2) {
                    while (!pgas_test_notifications(c, k, 1)) {
                    }
                } else {
                    pgas_wait_notifications(c, k, 1);
                }
                unsigned char *dst = (unsigned char *) mine + k * slot;
                for (int i = threadIdx.x; i < size; i += blockDim.x) {
                    wrong += dst[i] != (unsigned char) (mix(source, round * 31 + s, i / 4) >> (8 * (i % 4)));
                }
                pgas_notify(c, PGAS_WORLD, source, 100 + k);
            }
            pgas_flush(c);
            for (int k = 0; k < 3; k++) {
                pgas_wait_notifications(c, 100 + k, 1);
            }
        }
        // Stores through pointers, then a notification; on the device, where everything is reachable.
        int next = (local + 1) % locals;
        int *there = (int *) pgas_ptr(c, d, next);
        wrong += there == 0;
        for (int i = threadIdx.x; i < 256; i += blockDim.x) {
            there[slot / 4 * 3 + i] = mix(local, round, i);
        }
        pgas_notify(c, PGAS_DEVICE, next, 200);
        pgas_wait_notifications(c, 200, 1);
        int from = (local + locals - 1) % locals;
        for (int i = threadIdx.x; i < 256; i += blockDim.x) {
            wrong += ((int *) mine)[slot / 4 * 3 + i] != (int) mix(from, round, i);
        }
        pgas_barrier(c, round % 2 ? PGAS_DEVICE : PGAS_WORLD);
    }
    wrong += pgas_test_notifications(c, 0, 1) || pgas_test_notifications(c, 200, 1);
    pgas_win_free(c, d);
    pgas_win_free(c, w);
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}

// Payloads with their notifications, without end: none early, none lost, none out of order.
extern "C" __global__ void order(pgas_world world, char *base, long long *seen, long long messages, int distance, int kind) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE);
    int to = (me + distance) % all, from = (me + all - distance % all) % all;
    char *mine = base + (long long) local * 16384;
    int w = pgas_win_create(c, PGAS_WORLD, mine, 16384);
    volatile unsigned int *in = (volatile unsigned int *) mine;
    unsigned int *out = (unsigned int *) (mine + 8192);
    long long early = 0;
    for (long long i = 0; i < messages; i++) {
        if (i >= 64 && i % 32 == 0) {
            pgas_wait_notifications(c, 2, 1);
        }
        int at = (int) (i % 64);
        int size = kind == 0 ? 4 : kind == 1 ? 8 : kind == 2 ? 64 : i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 64;
        for (int k = threadIdx.x; k < size / 4; k += blockDim.x) {
            out[at * 16 + k] = mix((unsigned int) i, me, k);
        }
        pgas_put_notify(c, w, to, at * 64, out + at * 16, size, 1);
        pgas_wait_notifications(c, 1, 1);
        for (int k = threadIdx.x; k < size / 4; k += blockDim.x) {
            early += in[at * 16 + k] != mix((unsigned int) i, from, k);
        }
        __syncthreads();
        if (i % 32 == 31) {
            pgas_notify(c, PGAS_WORLD, from, 2);
        }
    }
    pgas_barrier(c, PGAS_WORLD);
    // What is left: acknowledgements that nobody had to wait for, and nothing else.
    long long left = messages / 32 - (messages > 64 ? (messages - 64 + 31) / 32 : 0);
    bool lost = !pgas_test_notifications(c, 2, left) || pgas_test_notifications(c, 2, 1) || pgas_test_notifications(c, 1, 1);
    atomicAdd((unsigned long long *) seen + 2 * local, (unsigned long long) early);
    if (threadIdx.x == 0) {
        seen[2 * local + 1] = lost;
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}

#define MAX_PUTS 8      // of a burst
#define MAX_PUT 16384   // bytes
#define PUTS_AT 32768   // sources of a burst, behind the place of what comes in

// Bytes of a put, mostly few, and its offset: puts of a burst overlap.
__device__ unsigned int put_size(int source, int number) {
    unsigned int limits[4] = {16, 300, 2000, MAX_PUT}, h = mix(source, number, 1);
    return 1 + (h >> 2) % limits[h & 3];
}

__device__ unsigned int put_offset(int source, int number) {
    unsigned int h = mix(source, number, 2);
    return h % 3 == 0 ? (h >> 4) % MAX_PUT : (h >> 4) % (MAX_PUT / 8) * 8;
}

// Bursts of notified puts of random sizes to overlapping places, by the block, a warp or a thread. Of each byte the last put is
// there when the notifications of the burst are.
extern "C" __global__ void bursts(pgas_world world, char *base, long long *seen, long long bursts, int distance, int region) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE);
    int to = (me + distance) % all, from = (me + all - distance % all) % all;
    char *mine = base + (long long) local * region;
    int w = pgas_win_create(c, PGAS_WORLD, mine, PUTS_AT);
    long long wrong = 0;
    for (int burst = 0; burst < bursts; burst++) {
        int count = 1 + mix(me, burst, 3) % MAX_PUTS, incoming = 1 + mix(from, burst, 3) % MAX_PUTS;
        for (int j = 0; j < count; j++) {
            int number = burst * MAX_PUTS + j;
            unsigned int size = put_size(me, number), offset = put_offset(me, number), how = mix(me, number, 4) % 8;
            char *src = mine + PUTS_AT + j * MAX_PUT + (how & 1) * (MAX_PUT - size) / 2;
            for (unsigned int k = threadIdx.x; k < size; k += blockDim.x) {
                src[k] = (char) (mix(me, number, k / 4) >> (8 * (k % 4)));
            }
            __syncthreads();
            if (how == 6 && threadIdx.x < 32) {
                pgas_put_notify_warp(c, w, to, offset, src, size, 1);
            } else if (how == 7 && size <= 300 && threadIdx.x == blockDim.x - 1) {
                pgas_put_notify_thread(c, w, to, offset, src, size, 1);
            }
            __syncthreads();
            if (how < 6 || how == 7 && size > 300) {
                pgas_put_notify(c, w, to, offset, src, size, 1);
            }
        }
        pgas_wait_notifications(c, 1, incoming);
        for (unsigned int at = threadIdx.x; at < PUTS_AT; at += blockDim.x) {
            for (int j = incoming - 1; j >= 0; j--) {
                unsigned int k = at - put_offset(from, burst * MAX_PUTS + j);
                if (k < put_size(from, burst * MAX_PUTS + j)) {
                    wrong += mine[at] != (char) (mix(from, burst * MAX_PUTS + j, k / 4) >> (8 * (k % 4)));
                    break;
                }
            }
        }
        __syncthreads();
        pgas_notify(c, PGAS_WORLD, from, 2);
        pgas_wait_notifications(c, 2, 1);
        pgas_flush(c);
    }
    bool more = pgas_test_notifications(c, 1, 1) || pgas_test_notifications(c, 2, 1);
    atomicAdd((unsigned long long *) seen + 2 * local, (unsigned long long) wrong);
    if (threadIdx.x == 0) {
        seen[2 * local + 1] = more;
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}

// Block 0 of each rank waits for what nobody sends.
extern "C" __global__ void starve(pgas_world world, char *base, int tag, int count) {
    pgas_context *c = pgas_init(world);
    pgas_win_create(c, PGAS_WORLD, base, 64);
    if (pgas_rank(c, PGAS_DEVICE) == 0) {
        pgas_notify(c, PGAS_DEVICE, 0, tag);
        pgas_wait_notifications(c, tag, count);
    }
    pgas_leave(c);
}

// As many windows of all blocks as there may be, and one of the device's more: each block writes to the next by all of them, frees
// one, and gets its number again with another size.
extern "C" __global__ void many(pgas_world world, char *base, int *errors, int windows) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE);
    int next = (me + 1) % all, last = (me + all - 1) % all, beside = (local + 1) % pgas_size(c, PGAS_DEVICE), wrong = 0;
    int *mine = (int *) (base + local * 2048);
    int w[64];
    for (int i = 0; i < windows; i++) {
        w[i] = pgas_win_create(c, PGAS_WORLD, mine + 2 * i, 8 + 4 * (me % 2));
    }
    int d = pgas_win_create(c, PGAS_DEVICE, mine + 256, 64 + 4 * (local % 8));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < windows; i++) {
            wrong += pgas_win_bytes(c, w[i], next) != (round == 1 && i == windows / 2 ? 8 : 8 + 4 * (next % 2));
            if (threadIdx.x == 0) {
                mine[128 + i] = mix(me, round, i);
            }
            pgas_put_notify(c, w[i], next, 4, mine + 128 + i, 4, 1);
        }
        pgas_wait_notifications(c, 1, windows);
        for (int i = 0; i < windows; i++) {
            wrong += mine[2 * i + 1] != mix(last, round, i);
        }
        pgas_barrier(c, PGAS_WORLD);
        if (round == 0) {
            pgas_win_free(c, w[windows / 2]);
            wrong += pgas_win_create(c, PGAS_WORLD, mine + 2 * (windows / 2), 8) != w[windows / 2];
        }
    }
    wrong += pgas_win_bytes(c, d, beside) != 64 + 4 * (beside % 8);
    pgas_win_free(c, d);
    for (int i = 0; i < windows; i++) {
        pgas_win_free(c, w[i]);
    }
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}

// One window of all blocks more than there may be.
extern "C" __global__ void crowded(pgas_world world, char *base, int windows) {
    pgas_context *c = pgas_init(world);
    for (int i = 0; i < windows; i++) {
        pgas_win_create(c, PGAS_WORLD, base, 64);
    }
    pgas_finish(c);
}

// A put to a window whose number is beyond those of all blocks.
extern "C" __global__ void beyond(pgas_world world, char *base, int window) {
    pgas_context *c = pgas_init(world);
    pgas_win_create(c, PGAS_WORLD, base, 64);
    pgas_put_notify(c, window, 0, 0, base, 16, 1);
    pgas_finish(c);
}

// A put beyond the end of a window.
extern "C" __global__ void overreach(pgas_world world, char *base, int offset) {
    pgas_context *c = pgas_init(world);
    int w = pgas_win_create(c, PGAS_WORLD, base, 64);
    pgas_put_notify(c, w, 0, offset, base, 16, 1);
    pgas_finish(c);
}

// A timer that there is not.
extern "C" __global__ void mistime(pgas_world world, int timer) {
    pgas_context *c = pgas_init(world);
    pgas_timer_start(c, timer);
    pgas_finish(c);
}

// Host and blocks notify each other; timers, log and prepared communications beside it.
extern "C" __global__ void talk(pgas_world world, int rounds, int prepared) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE);
    pgas_timer_start(c, 3);
    for (int i = 0; i < rounds; i++) {
        if (local == 0) {
            pgas_wait_notifications(c, 7, 1);
            pgas_notify_host(c, pgas_host_rank(c), 8);
        } else if (local == 1) {
            pgas_notify_host(c, (pgas_host_rank(c) + 1) % pgas_host_ranks(c), 9);
        }
    }
    if (local == 0) {
        pgas_log(c, "rounds done:", rounds);
        if (prepared >= 0) {
            pgas_trigger(c, prepared);
        }
    }
    pgas_timer_stop(c, 3);
    pgas_finish(c);
}
