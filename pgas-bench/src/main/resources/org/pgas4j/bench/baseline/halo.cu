// Periods of a halo exchange by blocks, written by hand: the example halo has the same in Java.
// Compiled with THREADS, the threads of a block.
#include <pgas_device.cuh>

__device__ void halo_value(const float *u, float *next, int n, long long at, float left, float right) {
    const long long plane = (long long) n * n;
    const int y = at / n % n, z = at / plane;
    const float sum = __fadd_rn(__fadd_rn(__fadd_rn(left, right),
            __fadd_rn(y > 0 ? u[at - n] : 0.0f, y < n - 1 ? u[at + n] : 0.0f)),
            __fadd_rn(z > 0 ? u[at - plane] : 0.0f, z < n - 1 ? u[at + plane] : 0.0f));
    next[at] = __fadd_rn(__fmul_rn(0.4f, u[at]), __fmul_rn(0.1f, sum));
}

// Rows.
__device__ void halo_pack(const float *u, float *faces, int n, long long from, long long to, long long step) {
    for (long long row = from; row < to; row += step) {
        faces[row] = u[row * n];
        faces[(long long) n * n + row] = u[row * n + n - 1];
    }
}

// Points that need no face, n - 2 of each row.
__device__ void halo_interior(const float *u, float *next, int n, long long from, long long to, long long step) {
    for (long long point = from; point < to; point += step) {
        const long long at = point / (n - 2) * n + 1 + point % (n - 2);
        halo_value(u, next, n, at, u[at - 1], u[at + 1]);
    }
}

// Rows: the two points that need a face.
__device__ void halo_unpack(const float *u, float *next, const float *faces, int n, long long from, long long to,
                            long long step) {
    for (long long row = from; row < to; row += step) {
        halo_value(u, next, n, row * n, faces[row], u[row * n + 1]);
        halo_value(u, next, n, row * n + n - 1, u[row * n + n - 2], faces[(long long) n * n + row]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) halo_fused(pgas_world world, const float *u, float *next,
        float *send, const float *receive, unsigned int *control, int n, int period, int packers, int parts,
        int unpackers) {
    pgas_context *c = pgas_init(world);
    __shared__ unsigned int drawn;
    volatile unsigned int *signal = control + 1;
    const long long face = (long long) n * n;
    const int blocks = pgas_size(c, PGAS_DEVICE), host = pgas_host_rank(c), hosts = pgas_host_ranks(c);
    const int tag = period % 2 * 2;
    if (pgas_rank(c, PGAS_DEVICE) == 0) {
        pgas_wait_notifications(c, tag, packers);
        pgas_wait_notifications(c, tag + 1, packers);
        if (threadIdx.x == 0) {
            __threadfence();
            *signal = period + 1;
        }
        pgas_leave(c);
        return;
    }
    // Every block draws once in vain.
    const unsigned int items = packers + parts + unpackers, first = period * (items + blocks - 1);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            drawn = atomicAdd(control, 1u) - first;
        }
        __syncthreads();
        const int item = drawn;
        if (item < packers) {
            const long long from = face * item / packers, to = face * (item + 1) / packers;
            halo_pack(u, send, n, from + threadIdx.x, to, blockDim.x);
            __syncthreads();
            for (int side = 0; side < 2; side++) {
                const int target = (host + (side == 0 ? hosts - 1 : 1)) % hosts * blocks;
                pgas_put_notify(c, control[2], target, ((tag + 1 - side) * face + from) * sizeof(float),
                                send + side * face + from, (to - from) * sizeof(float), tag + 1 - side);
            }
        } else if (item < packers + parts) {
            const long long part = item - packers, from = face * part / parts, to = face * (part + 1) / parts;
            halo_interior(u, next, n, from * (n - 2) + threadIdx.x, to * (n - 2), blockDim.x);
        } else if (item < items) {
            for (;;) {
                __syncthreads();
                if (threadIdx.x == 0) {
                    drawn = *signal == period + 1;
                }
                __syncthreads();
                if (drawn) {
                    break;
                }
                pgas_test_notifications(c, 255, 1);   // ends the block if another has failed
            }
            __threadfence();
            const long long part = item - packers - parts;
            halo_unpack(u, next, receive, n, face * part / unpackers + threadIdx.x, face * (part + 1) / unpackers,
                        blockDim.x);
        } else {
            break;
        }
    }
    pgas_leave(c);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) halo_triggered(pgas_world world, const float *u, float *next,
        float *send, unsigned int *packed, int n, int before, int after) {
    pgas_context *c = pgas_init(world);
    __shared__ bool last;
    const long long face = (long long) n * n;
    const int block = pgas_rank(c, PGAS_DEVICE), blocks = pgas_size(c, PGAS_DEVICE);
    const long long from = face * block / blocks, to = face * (block + 1) / blocks;
    halo_pack(u, send, n, from + threadIdx.x, to, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();   // what this block packed comes before its count,
        last = (atomicAdd(packed, 1u) + 1) % blocks == 0;
        __threadfence();   // and what all packed before the last one triggers
    }
    __syncthreads();
    if (last) {
        pgas_trigger(c, before);
        pgas_trigger(c, after);
    }
    halo_interior(u, next, n, from * (n - 2) + threadIdx.x, to * (n - 2), blockDim.x);
    pgas_leave(c);
}
