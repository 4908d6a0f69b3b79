#include <pgas_device.cuh>

// Lines with values of each type, by the block and by two of its threads.
extern "C" __global__ void lines(pgas_world world, int count) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE);
    for (int i = 0; i < count; i++) {
        pgas_printf(c, "line %d of %lld: %.1f 0x%x 100%%", i, (long long) count, local + i * 0.5, -1);
    }
    if (threadIdx.x < 2) {
        pgas_printf_thread(c, "one of two");
    }
    pgas_leave(c);
}
