#include <pgas_device.cuh>

// All threads of all blocks change the same words of block 0's window: tickets, sums of each type, exclusive or twice,
// smallest and largest, a counter by compare-and-swap. Each block's sum of tickets goes to tickets[block].
extern "C" __global__ void atomics(pgas_world world, char *base, long long *tickets, int rounds) {
    pgas_context *c = pgas_init(world);
    int w = pgas_win_create(c, PGAS_WORLD, base, 64);
    int me = pgas_rank(c, PGAS_WORLD);
    long long id = (long long) me * blockDim.x + threadIdx.x;
    long long sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += pgas_atomic(c, w, 0, 0, PGAS_ATOMIC_ADD, 1ll);
        pgas_atomic(c, w, 0, 8, PGAS_ATOMIC_ADD, 0.5);
        pgas_atomic(c, w, 0, 16, PGAS_ATOMIC_ADD, 0.5f);
        pgas_atomic(c, w, 0, 20, PGAS_ATOMIC_ADD, 3);
        pgas_atomic(c, w, 0, 24, PGAS_ATOMIC_XOR, id * 77 + i);
        pgas_atomic(c, w, 0, 24, PGAS_ATOMIC_XOR, id * 77 + i);
        pgas_atomic(c, w, 0, 32, PGAS_ATOMIC_MAX, id);
        pgas_atomic(c, w, 0, 40, PGAS_ATOMIC_MIN, (double) -id);
    }
    if (threadIdx.x == 0) {
        long long seen = pgas_atomic(c, w, 0, 48, PGAS_ATOMIC_GET, 0ll);
        for (int tries = 0; tries < 1000000; tries++) {
            long long found = pgas_atomic(c, w, 0, 48, PGAS_ATOMIC_COMPARE_SWAP, seen + 1, seen);
            if (found == seen) {
                break;
            }
            seen = found;
        }
    }
    atomicAdd((unsigned long long *) &tickets[pgas_rank(c, PGAS_DEVICE)], (unsigned long long) sum);
    pgas_win_free(c, w);
    pgas_finish(c);
}
