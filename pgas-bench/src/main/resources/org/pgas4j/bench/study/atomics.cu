#include <pgas_device.cuh>

// Thread 0 of rank 0 adds to a word of block 1's window, batch times in a row by the library and batch times by CUDA's own
// function, each after the one before has its result; nanoseconds of one, all samples of the library first.
extern "C" __global__ void atomics_pair(pgas_world world, char *base, double *results, int samples, int batch) {
    pgas_context *c = pgas_init(world);
    int w = pgas_win_create(c, PGAS_WORLD, base, 256);
    if (pgas_rank(c, PGAS_WORLD) == 0 && threadIdx.x == 0) {
        unsigned long long *there = (unsigned long long *) pgas_ptr(c, w, 1);
        long long sum = 0;
        for (int s = -samples / 4; s < samples; s++) {
            pgas_u64 begin = pgas_now();
            for (int i = 0; i < batch; i++) {
                sum += pgas_atomic(c, w, 1, 0, PGAS_ATOMIC_ADD, (long long) (sum >= 0));
            }
            pgas_u64 middle = pgas_now() + (sum < 0);
            for (int i = 0; i < batch; i++) {
                sum += (long long) atomicAdd_system(there, (unsigned long long) (sum >= 0));
            }
            pgas_u64 end = pgas_now() + (sum < 0);
            if (s >= 0) {
                results[s] = (double) (middle - begin) / batch;
                results[samples + s] = (double) (end - middle) / batch;
            }
        }
        if (sum < 0) {
            pgas_log(c, "sum", (double) sum);
        }
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}

// HPCC's RandomAccess: exclusive or of random words into random words of a table that is spread over the ranks, or of this
// rank's part alone. The table of rank r is the window of its first block.
extern "C" __global__ void random_access(pgas_world world, long long *table, long long words, int updates, int own,
                                         long long *wrong, int phase) {
    pgas_context *c = pgas_init(world);
    int w = pgas_win_create(c, PGAS_WORLD, table, (pgas_u64) words * 8);
    int ranks = pgas_host_ranks(c), me = pgas_host_rank(c), blocks = pgas_size(c, PGAS_DEVICE);
    long long thread = (long long) pgas_rank(c, PGAS_DEVICE) * blockDim.x + threadIdx.x;
    long long threads = (long long) blocks * blockDim.x;
    if (phase == 0) {
        for (long long i = thread; i < words; i += threads) {
            table[i] = me * words + i;
        }
    } else if (phase == 1) {
        unsigned long long all = (unsigned long long) words * (own ? 1 : ranks);
        int bits = __popcll((unsigned long long) words - 1);
        unsigned long long x = ((unsigned long long) (me * threads + thread) + 1) * 0x9E3779B97F4A7C15ull;
        for (int i = 0; i < updates; i++) {
            x = x << 1 ^ ((long long) x < 0 ? 7 : 0);
            unsigned long long at = x & (all - 1);  // words and ranks are powers of two
            int target = (own ? me : (int) (at >> bits)) * blocks;
            pgas_atomic(c, w, target, (at & (unsigned long long) (words - 1)) * 8, PGAS_ATOMIC_XOR, (long long) x);
        }
    } else {
        for (long long i = thread; i < words; i += threads) {
            if (table[i] != me * words + i) {
                atomicAdd((unsigned long long *) wrong, 1ull);
            }
        }
    }
    pgas_win_free(c, w);
    pgas_finish(c);
}
