#include <pgas_device.cuh>

// Thread 0 of rank 0 adds to a word of block 1's window, batch times in a row by the library and batch times by CUDA's own
// function; nanoseconds of one, all samples of the library first.
extern "C" __global__ void atomics_pair(pgas_world world, char *base, double *results, int samples, int batch) {
    pgas_context *c = pgas_init(world);
    int w = pgas_win_create(c, PGAS_WORLD, base, 256);
    if (pgas_rank(c, PGAS_WORLD) == 0 && threadIdx.x == 0) {
        unsigned long long *there = (unsigned long long *) pgas_ptr(c, w, 1);
        long long sum = 0;
        for (int s = -samples / 4; s < samples; s++) {
            pgas_u64 begin = pgas_now();
            for (int i = 0; i < batch; i++) {
                sum += pgas_atomic(c, w, 1, (pgas_u64) (sum < 0), PGAS_ATOMIC_ADD, 1ll);
            }
            pgas_u64 middle = pgas_now() + (sum < 0);
            for (int i = 0; i < batch; i++) {
                sum += (long long) atomicAdd_system(there + (sum < 0), 1ull);
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
