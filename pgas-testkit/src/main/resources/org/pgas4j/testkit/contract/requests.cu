#include <pgas_device.cuh>

#define TAG 1     // of the puts to the next block, those to the block before have the tag after it
#define PARTS 3   // of 4, 200 and 3000 bytes
#define PART 4096
#define PLAIN (3 * PARTS * PART + 2048)  // place of the plain puts, behind the sources and indices

__device__ int pattern(int from, int round, int part, int i) {
    return from * 7919 + round * 104729 + part * 31 + i;
}

__device__ int bytes_of(int part) {
    return part == 0 ? 4 : part == 1 ? 200 : 3000;
}

// Ends all requests of a list, in one of the forms. Returns the number of errors.
__device__ int end(pgas_context *c, const int *list, int count, pgas_u64 *indices, int form) {
    int wrong = 0, rest = count;
    if (form == 0) {
        pgas_wait_all_requests(c, list, count);
    } else if (form == 1) {
        for (; rest > 0; rest--) {
            wrong += pgas_wait_any_request(c, list, count) < 0;
        }
    } else if (form == 2) {
        for (int tries = 0; rest > 0 && tries < 100000000; tries++) {
            rest -= pgas_wait_some_requests(c, list, count, indices);
            wrong += indices[0] >= count;
            __syncthreads();
        }
        wrong += rest != 0;
    } else {
        for (int k = 0; k < count; k++) {
            for (int tries = 0; !pgas_test_request(c, list[k]) && tries < 100000000; tries++) {
            }
        }
    }
    pgas_wait_request(c, list[0]);
    wrong += pgas_wait_any_request(c, list, count) != -1;
    wrong += pgas_test_any_request(c, list, count) != -1;
    wrong += pgas_wait_some_requests(c, list, count, indices) != 0;
    return wrong;
}

// Bytes that the blocks on both sides have put, the plain puts of the next block at last.
__device__ int check(pgas_context *c, char *mine, int round) {
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), wrong = 0;
    pgas_wait_notifications(c, TAG, PARTS);
    pgas_wait_notifications(c, TAG + 1, PARTS);
    for (int side = 0; side < 2; side++) {
        int from = side == 0 ? (me + all - 1) % all : (me + 1) % all;
        for (int part = 0; part < PARTS; part++) {
            const int *in = (const int *) (mine + (side * PARTS + part) * PART);
            for (int i = threadIdx.x; i < bytes_of(part) / 4; i += blockDim.x) {
                wrong += in[i] != pattern(from, round, part, i);
            }
        }
    }
    return wrong;
}

// Each block puts to those on both sides in turn, so that the place of the last put is never that of the next.
extern "C" __global__ void requests(pgas_world world, char *base, int *errors, long long region, int rounds) {
    pgas_context *c = pgas_init(world);
    int me = pgas_rank(c, PGAS_WORLD), all = pgas_size(c, PGAS_WORLD), local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    char *mine = base + local * region, *out = mine + 2 * PARTS * PART;
    int next = (me + 1) % all, before = (me + all - 1) % all, list[2 * PARTS + 1];
    int w = pgas_win_create(c, PGAS_WORLD, mine, region);
    for (int part = 0; part < PARTS; part++) {
        list[2 * part] = pgas_put_notify_init(c, w, next, part * PART, out + part * PART, bytes_of(part), TAG);
        list[2 * part + 1] = pgas_put_notify_init(c, w, before, (PARTS + part) * PART, out + part * PART, bytes_of(part), TAG + 1);
    }
    list[2 * PARTS] = pgas_put_init(c, w, next, PLAIN, out + PART, 64);
    pgas_u64 *indices = (pgas_u64 *) (out + PARTS * PART);
    for (int round = 0; round < rounds; round++) {
        for (int part = 0; part < PARTS; part++) {
            for (int i = threadIdx.x; i < bytes_of(part) / 4; i += blockDim.x) {
                ((int *) (out + part * PART))[i] = pattern(me, round, part, i);
            }
        }
        for (int k = 2 * PARTS; k >= 0; k--) {
            pgas_start(c, list[k]);
        }
        wrong += end(c, list, 2 * PARTS + 1, indices, round % 4);
        for (int i = threadIdx.x; i < PARTS * PART / 4; i += blockDim.x) {
            ((int *) out)[i] = -1;  // the sources may be reused
        }
        wrong += check(c, mine, round);
        pgas_barrier(c, PGAS_WORLD);
        const int *plain = (const int *) (mine + PLAIN);
        for (int i = threadIdx.x; i < 16; i += blockDim.x) {
            wrong += plain[i] != pattern(before, round, 1, i);
        }
        pgas_barrier(c, PGAS_WORLD);
    }
    for (int k = 0; k <= 2 * PARTS; k++) {
        pgas_request_free(c, list[k]);
    }
    wrong += pgas_put_init(c, w, me, 0, out, 4) != 0;  // the lowest number that is free
    atomicAdd(errors + local, wrong);
    pgas_win_free(c, w);
    pgas_finish(c);
}
