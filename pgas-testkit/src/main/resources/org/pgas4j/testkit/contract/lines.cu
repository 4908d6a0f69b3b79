#include <pgas_device.cuh>

// Lines with values of each type, by the block and by two of its threads, which read what all have written.
extern "C" __global__ void lines(pgas_world world, int count) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE);
    for (int i = 0; i < count; i++) {
        pgas_printf(c, "line %d of %lld: %.1f 0x%x 100%%", i, (long long) count, local + i * 0.5, -1);
    }
    unsigned char *shared = (unsigned char *) pgas_shared(c);
    for (int i = threadIdx.x; i < pgas_shared_bytes(c); i += blockDim.x) {
        shared[i] = (unsigned char) (i + local);
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        int right = 0;
        for (int i = 0; i < pgas_shared_bytes(c); i++) {
            right += shared[i] == (unsigned char) (i + local);
        }
        pgas_printf_thread(c, "one of two, %d bytes shared", right);
    }
    uint3 grid = pgas_grid_shape(c), at = pgas_block_index(c), block = pgas_block_shape(c), thread = pgas_thread_index(c);
    int wrong = __syncthreads_count((thread.z * block.y + thread.y) * block.x + thread.x != threadIdx.x || thread.x >= block.x
            || thread.y >= block.y || block.x * block.y * block.z != blockDim.x);
    pgas_printf(c, "block (%u, %u, %u) of (%u, %u, %u), %d", at.x, at.y, at.z, grid.x, grid.y, grid.z, wrong);
    pgas_leave(c);
}
