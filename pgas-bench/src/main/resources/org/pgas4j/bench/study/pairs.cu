#include <pgas_device.cuh>

// Half round trips of notifications between world block 0 and another; one sample is the mean of a batch of round trips, in ns.
extern "C" __global__ void pairs_kernels(pgas_world world, double *samples, int count, int batch, int partner, int tag) {
    pgas_context *c = pgas_init(world);
    const int me = pgas_rank(c, PGAS_WORLD);
    if (me == 0 || me == partner) {
        for (int s = -count / 4; s < count; s++) {
            const pgas_u64 start = pgas_now();
            for (int i = 0; i < batch; i++) {
                if (me == 0) {
                    pgas_notify(c, PGAS_WORLD, partner, tag);
                }
                pgas_wait_notifications(c, tag, 1);
                if (me != 0) {
                    pgas_notify(c, PGAS_WORLD, 0, tag);
                }
            }
            if (me == 0 && threadIdx.x == 0 && s >= 0) {
                samples[s] = (double) (pgas_now() - start) / batch / 2;
            }
        }
    }
    pgas_finish(c);
}

// World block `block` answers each notification with one of tag + 1 for the host or a stream of a rank.
extern "C" __global__ void pairs_answer(pgas_world world, int rounds, int block, int host, int tag) {
    pgas_context *c = pgas_init(world);
    if (pgas_rank(c, PGAS_WORLD) == block) {
        for (int i = 0; i < rounds; i++) {
            pgas_wait_notifications(c, tag, 1);
            pgas_notify_host(c, host, tag + 1);
        }
    }
    pgas_finish(c);
}
