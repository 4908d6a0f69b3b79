package org.pgas4j.device.cuda;

import org.pgas4j.Kernel;

/**
 * Copies between devices by a kernel. Behind another kernel in a stream it starts at once, while the copy engine first
 * waits for a signal of the kernel's end: some microseconds, which matters for small copies only. Behind a wait, copies of any size
 * from another device of the process are made by it.
 */
final class CopyKernel {

    static final Kernel KERNEL = new Kernel("pgas_copy", """
            extern "C" __global__ void pgas_copy(char *dst, const char *src, long long bytes) {
                long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;
                long long step = (long long) gridDim.x * blockDim.x;
                if ((((unsigned long long) dst | (unsigned long long) src) & 15) == 0) {
                    long long vectors = bytes / 16;
                    for (long long i = first; i < vectors; i += step) {
                        ((uint4 *) dst)[i] = ((const uint4 *) src)[i];
                    }
                    first += vectors * 16;
                }
                for (long long i = first; i < bytes; i += step) {
                    dst[i] = src[i];
                }
            }
            """, null);

    /** Beyond this the copy engine is as fast. */
    static final long MAX_BYTES = 512 * 1024;

    static final int THREADS = 256;
    private static final int MAX_BLOCKS = 64;

    private CopyKernel() {
    }

    /** Number of blocks for that many bytes, 16 a thread. */
    static int blocks(long bytes) {
        return (int) Math.min(MAX_BLOCKS, Math.ceilDiv(bytes, 16L * THREADS));
    }
}
