#include <pgas_device.cuh>

// One kernel for each guarantee. Every block sends in each round, looks at what it was sent as soon as it is told, and says that
// it has looked. Planted: it sends only when the other has looked, so that every look must find something wrong.

#define DATA 1    // what is to be looked at is there
#define FIRST 2   // notified of before DATA
#define LOOKED 3  // goes back

#define WORDS 64           // of a payload that does not travel with its notification
#define SECOND_AT 256      // place of a second payload, bytes
#define WORK_AT 512        // place of counters by source in what a block sends, bytes
#define OUT_AT 4096        // place of what a block sends, bytes
#define PART 8192          // bytes of a block

struct litmus_block {
    pgas_context *c;
    int me, local, locals;
    int to, from;        // the same number on the next rank and the one before, of all blocks
    int next, previous;  // of the device's
    int world, device;   // windows
    unsigned int *in, *out;
};

__device__ unsigned int litmus_value(int round, int source, int k) {
    unsigned int h = (unsigned int) (round + 1) * 0x9E3779B1u ^ (unsigned int) (source + 1) * 0x85EBCA77u
            ^ (unsigned int) k * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    return h ^ h >> 12;
}

__device__ litmus_block litmus_begin(pgas_world world, char *base) {
    litmus_block b;
    b.c = pgas_init(world);
    b.me = pgas_rank(b.c, PGAS_WORLD);
    b.local = pgas_rank(b.c, PGAS_DEVICE);
    b.locals = pgas_size(b.c, PGAS_DEVICE);
    int all = pgas_size(b.c, PGAS_WORLD);
    b.to = (b.me + b.locals) % all;
    b.from = (b.me + all - b.locals) % all;
    b.next = (b.local + 1) % b.locals;
    b.previous = (b.local + b.locals - 1) % b.locals;
    char *mine = base + (long long) b.local * PART;
    b.world = pgas_win_create(b.c, PGAS_WORLD, mine, PART);
    b.device = pgas_win_create(b.c, PGAS_DEVICE, mine, PART);
    b.in = (unsigned int *) mine;
    b.out = (unsigned int *) (mine + OUT_AT);
    return b;
}

__device__ void litmus_end(litmus_block &b, long long *wrong, long long found) {
    atomicAdd((unsigned long long *) wrong + b.local, (unsigned long long) found);
    pgas_win_free(b.c, b.device);
    pgas_win_free(b.c, b.world);
    pgas_finish(b.c);
}

// By all threads of the block; nobody goes on before all have stored.
__device__ void litmus_fill(void *at, int round, int source, int words) {
    for (int k = threadIdx.x; k < words; k += blockDim.x) {
        ((volatile unsigned int *) at)[k] = litmus_value(round, source, k);
    }
    __syncthreads();
}

// Words of this thread that are not those of the round.
__device__ int litmus_wrong(const void *at, int round, int source, int words) {
    int wrong = 0;
    for (int k = threadIdx.x; k < words; k += blockDim.x) {
        wrong += ((const volatile unsigned int *) at)[k] != litmus_value(round, source, k);
    }
    __syncthreads();
    return wrong;
}

__device__ void litmus_looked(litmus_block &b, int comm, int from) {
    pgas_notify(b.c, comm, from, LOOKED);
    pgas_wait_notifications(b.c, LOOKED, 1);
}

// A payload comes before its notification; up to 2 words travel with it.
extern "C" __global__ void litmus_payload(pgas_world world, char *base, long long *wrong, int rounds, int planted, int words) {
    litmus_block b = litmus_begin(world, base);
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.me, words);
        if (planted) {
            pgas_notify(b.c, PGAS_WORLD, b.to, DATA);
        } else {
            pgas_put_notify(b.c, b.world, b.to, 0, b.out, words * 4, DATA);
        }
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong(b.in, round, b.from, words);
        litmus_looked(b, PGAS_WORLD, b.from);
        if (planted) {
            pgas_put(b.c, b.world, b.to, 0, b.out, words * 4);
        }
        pgas_flush(b.c);
    }
    litmus_end(b, wrong, found);
}

// Of two notified puts to one target, the first comes first: the larger one, in packets; the second travels in its notification.
extern "C" __global__ void litmus_two_puts(pgas_world world, char *base, long long *wrong, int rounds, int planted) {
    litmus_block b = litmus_begin(world, base);
    char *second = (char *) b.out + SECOND_AT;
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.me, WORDS);
        litmus_fill(second, round, b.me, 2);
        if (!planted) {
            pgas_put_notify(b.c, b.world, b.to, 0, b.out, WORDS * 4, FIRST);
        }
        pgas_put_notify(b.c, b.world, b.to, SECOND_AT, second, 8, DATA);
        pgas_wait_notifications(b.c, DATA, 1);
        bool first = pgas_test_notifications(b.c, FIRST, 1);
        found += (threadIdx.x == 0 && !first) + litmus_wrong(b.in, round, b.from, WORDS)
                + litmus_wrong((char *) b.in + SECOND_AT, round, b.from, 2);
        litmus_looked(b, PGAS_WORLD, b.from);
        if (planted) {
            pgas_put_notify(b.c, b.world, b.to, 0, b.out, WORDS * 4, FIRST);
        }
        if (!first) {
            pgas_wait_notifications(b.c, FIRST, 1);
        }
        pgas_flush(b.c);
    }
    litmus_end(b, wrong, found);
}

// A notification that a window counts by source comes after its bytes, and after a small notified put before it.
extern "C" __global__ void litmus_by_source(pgas_world world, char *base, long long *wrong, int rounds, int planted) {
    litmus_block b = litmus_begin(world, base);
    char *second = (char *) b.out + SECOND_AT;
    pgas_source_window w = pgas_win_create_sources(b.c, PGAS_WORLD, b.in, OUT_AT, 1, (char *) b.out + WORK_AT,
                                                   PART - OUT_AT - WORK_AT);
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.me, WORDS);
        litmus_fill(second, round, b.me, 2);
        if (planted) {
            pgas_notify(b.c, w, b.to, 0);
        } else {
            pgas_put_notify(b.c, b.world, b.to, SECOND_AT, second, 8, FIRST);
            pgas_put_notify(b.c, w, b.to, 0, b.out, WORDS * 4, 0);
        }
        pgas_wait_source(b.c, w, b.from, 0, 1);
        bool first = pgas_test_notifications(b.c, FIRST, 1);
        found += (threadIdx.x == 0 && !first) + litmus_wrong(b.in, round, b.from, WORDS)
                + litmus_wrong((char *) b.in + SECOND_AT, round, b.from, 2);
        litmus_looked(b, PGAS_WORLD, b.from);
        if (planted) {
            pgas_put_notify(b.c, b.world, b.to, SECOND_AT, second, 8, FIRST);
            pgas_put(b.c, b.world, b.to, 0, b.out, WORDS * 4);
        }
        if (!first) {
            pgas_wait_notifications(b.c, FIRST, 1);
        }
        pgas_flush(b.c);
    }
    pgas_win_free_sources(b.c, w);
    litmus_end(b, wrong, found);
}

// A plain put is not overtaken by a payload that travelled with a notification before it, or in packets, to the same bytes.
extern "C" __global__ void litmus_same_bytes(pgas_world world, char *base, long long *wrong, int rounds, int planted, int words) {
    litmus_block b = litmus_begin(world, base);
    char *old = (char *) b.out + SECOND_AT;
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.me, words);
        litmus_fill(old, -round - 2, b.me, words);
        if (planted) {
            pgas_put(b.c, b.world, b.to, 0, b.out, words * 4);
            pgas_put_notify(b.c, b.world, b.to, 0, old, words * 4, FIRST);
        } else {
            pgas_put_notify(b.c, b.world, b.to, 0, old, words * 4, FIRST);
            pgas_put(b.c, b.world, b.to, 0, b.out, words * 4);
        }
        pgas_notify(b.c, PGAS_WORLD, b.to, DATA);
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong(b.in, round, b.from, words);
        pgas_wait_notifications(b.c, FIRST, 1);
        litmus_looked(b, PGAS_WORLD, b.from);
        pgas_flush(b.c);
    }
    litmus_end(b, wrong, found);
}

// What all threads of a block wrote before a notified put is in it, without a barrier of their own. Planted: a thread sends alone,
// before the others have written.
extern "C" __global__ void litmus_source(pgas_world world, char *base, long long *wrong, int rounds, int planted, int words) {
    litmus_block b = litmus_begin(world, base);
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        if (planted && threadIdx.x == 0) {
            pgas_put_notify_thread(b.c, b.world, b.to, 0, b.out, words * 4, DATA);
        }
        if (planted) {
            pgas_flush(b.c);  // the host may copy later
        }
        for (int k = threadIdx.x; k < words; k += blockDim.x) {
            b.out[k] = litmus_value(round, b.me, k);
        }
        if (!planted) {
            pgas_put_notify(b.c, b.world, b.to, 0, b.out, words * 4, DATA);
        }
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong(b.in, round, b.from, words);
        litmus_looked(b, PGAS_WORLD, b.from);
        pgas_flush(b.c);
    }
    litmus_end(b, wrong, found);
}

// After a fence a notification of a third block comes after what was put to the second, in packets too: the third gets it.
extern "C" __global__ void litmus_third(pgas_world world, char *base, long long *wrong, int rounds, int planted) {
    litmus_block b = litmus_begin(world, base);
    int author = (b.local + 2 * b.locals - 2) % b.locals, third = (b.local + 2) % b.locals;
    char *got = (char *) b.out + SECOND_AT;
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.local, WORDS);
        if (!planted) {
            pgas_put_notify(b.c, b.device, b.next, 0, b.out, WORDS * 4, FIRST);
            pgas_fence(b.c);
        }
        pgas_notify(b.c, PGAS_DEVICE, third, DATA);
        pgas_wait_notifications(b.c, DATA, 1);
        pgas_get(b.c, b.device, b.previous, 0, got, WORDS * 4);
        found += litmus_wrong(got, round, author, WORDS);
        litmus_looked(b, PGAS_DEVICE, author);
        if (planted) {
            pgas_put_notify(b.c, b.device, b.next, 0, b.out, WORDS * 4, FIRST);
        }
        pgas_wait_notifications(b.c, FIRST, 1);
        pgas_barrier(b.c, PGAS_DEVICE);
    }
    litmus_end(b, wrong, found);
}

// Stores through a pointer come before later notifications.
extern "C" __global__ void litmus_pointer(pgas_world world, char *base, long long *wrong, int rounds, int planted) {
    litmus_block b = litmus_begin(world, base);
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        if (!planted) {
            litmus_fill(pgas_ptr(b.c, b.device, b.next), round, b.local, WORDS);
        }
        pgas_notify(b.c, PGAS_DEVICE, b.next, DATA);
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong(b.in, round, b.previous, WORDS);
        litmus_looked(b, PGAS_DEVICE, b.previous);
        if (planted) {
            litmus_fill(pgas_ptr(b.c, b.device, b.next), round, b.local, WORDS);
        }
    }
    litmus_end(b, wrong, found);
}

// What a block wrote to its own memory is ordered by a fence.
extern "C" __global__ void litmus_fence(pgas_world world, char *base, long long *wrong, int rounds, int planted) {
    litmus_block b = litmus_begin(world, base);
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        if (!planted) {
            litmus_fill(b.out, round, b.local, WORDS);
            pgas_fence(b.c);
        }
        pgas_notify(b.c, PGAS_DEVICE, b.next, DATA);
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong((char *) pgas_ptr(b.c, b.device, b.previous) + OUT_AT, round, b.previous, WORDS);
        litmus_looked(b, PGAS_DEVICE, b.previous);
        if (planted) {
            litmus_fill(b.out, round, b.local, WORDS);
        }
    }
    litmus_end(b, wrong, found);
}

// Who passes on what it was told: a third block sees what the first wrote to the second.
extern "C" __global__ void litmus_pass_on(pgas_world world, char *base, long long *wrong, int rounds, int planted) {
    litmus_block b = litmus_begin(world, base);
    int author = (b.local + 2 * b.locals - 2) % b.locals;
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.local, WORDS);
        if (!planted) {
            pgas_put_notify(b.c, b.device, b.next, 0, b.out, WORDS * 4, FIRST);
            pgas_wait_notifications(b.c, FIRST, 1);
            pgas_fence(b.c);
        }
        pgas_notify(b.c, PGAS_DEVICE, b.next, DATA);
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong(pgas_ptr(b.c, b.device, b.previous), round, author, WORDS);
        litmus_looked(b, PGAS_DEVICE, author);
        if (planted) {
            pgas_put_notify(b.c, b.device, b.next, 0, b.out, WORDS * 4, FIRST);
            pgas_wait_notifications(b.c, FIRST, 1);
        }
    }
    litmus_end(b, wrong, found);
}

// A barrier orders puts, payloads that travel with notifications, and plain stores.
extern "C" __global__ void litmus_barrier(pgas_world world, char *base, long long *wrong, int rounds, int planted, int words) {
    litmus_block b = litmus_begin(world, base);
    char *stored = (char *) b.out + 2 * SECOND_AT;
    char *small = (char *) b.out + SECOND_AT;
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < 2; turn++) {
            if (turn == planted) {
                litmus_fill(b.out, round, b.me, WORDS);
                litmus_fill(small, round, b.me, words);
                litmus_fill(stored, round, b.local, WORDS);
                pgas_put(b.c, b.world, b.to, 0, b.out, WORDS * 4);
                pgas_put_notify(b.c, b.world, b.to, SECOND_AT, small, words * 4, DATA);
            }
            if (turn == 0) {
                pgas_barrier(b.c, PGAS_WORLD);
                found += litmus_wrong(b.in, round, b.from, WORDS) + litmus_wrong((char *) b.in + SECOND_AT, round, b.from, words)
                        + litmus_wrong((char *) pgas_ptr(b.c, b.device, b.next) + OUT_AT + 2 * SECOND_AT, round, b.next, WORDS);
            }
            pgas_barrier(b.c, PGAS_WORLD);
        }
        pgas_wait_notifications(b.c, DATA, 1);
        pgas_flush(b.c);
    }
    litmus_end(b, wrong, found);
}

// What a host put to a block comes before the host's notification of the block.
extern "C" __global__ void litmus_from_host(pgas_world world, char *base, long long *wrong, int rounds, int host, int tag) {
    litmus_block b = litmus_begin(world, base);
    long long found = 0;
    for (int round = 0; round < rounds; round++) {
        pgas_wait_notifications(b.c, DATA, 1);
        found += litmus_wrong(b.in, round, b.me, WORDS);
        pgas_notify_host(b.c, host, tag + b.local);
    }
    litmus_end(b, wrong, found);
}

// What a block put to a rank's device comes before the block's notification of that rank's host, which looks.
extern "C" __global__ void litmus_to_host(pgas_world world, char *base, long long *wrong, int rounds, int planted, int host,
                                          int tag) {
    litmus_block b = litmus_begin(world, base);
    for (int round = 0; round < rounds; round++) {
        litmus_fill(b.out, round, b.me, WORDS);
        if (!planted) {
            pgas_put(b.c, b.world, b.to, 0, b.out, WORDS * 4);
        }
        pgas_notify_host(b.c, host, tag + b.local);
        pgas_wait_notifications(b.c, LOOKED, 1);
        if (planted) {
            pgas_put(b.c, b.world, b.to, 0, b.out, WORDS * 4);
        }
        pgas_flush(b.c);
    }
    litmus_end(b, wrong, 0);
}

// What block 0 stored before it triggers a prepared put is what the put moves.
extern "C" __global__ void litmus_trigger(pgas_world world, char *base, long long *wrong, int rounds, int planted, int prepared) {
    litmus_block b = litmus_begin(world, base);
    for (int round = 0; round < rounds && b.local == 0; round++) {
        if (!planted) {
            litmus_fill(b.out, round, b.me, WORDS);
        }
        pgas_trigger(b.c, prepared);
        pgas_wait_notifications(b.c, LOOKED, 1);
        if (planted) {
            litmus_fill(b.out, round, b.me, WORDS);
        }
    }
    litmus_end(b, wrong, 0);
}
