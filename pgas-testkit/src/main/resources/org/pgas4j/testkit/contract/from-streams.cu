#include <pgas_device.cuh>

__device__ static int differs(const volatile signed char *at, int bytes, int value) {
    int wrong = 0;
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) {
        wrong += at[i] != (signed char) value;
    }
    return wrong;
}

extern "C" __global__ void from_streams(pgas_world world, signed char *base, int *errors, int value) {
    pgas_context *c = pgas_init(world);
    int local = pgas_rank(c, PGAS_DEVICE), wrong = 0;
    signed char *mine = base + local * 1024;
    pgas_wait_notifications(c, 50, 1);
    wrong += differs(mine, 512, value);
    pgas_wait_notifications(c, 51, 1);
    wrong += differs(mine + 512, 512, value);
    pgas_wait_notifications(c, 52, 1);
    atomicAdd(errors + local, wrong);
    pgas_finish(c);
}
