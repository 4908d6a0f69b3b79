package org.pgas4j.device.cuda;

import org.pgas4j.Kernel;

/**
 * Copies between devices by a kernel. Behind another kernel in a stream it starts at once, while the copy engine first
 * waits for a signal of the kernel's end: some microseconds, which matters for small copies only. Behind a wait, copies of any size
 * from another device of the process are made by it.
 */
final class CopyKernel {

    /** Copies by the threads {@code first} of {@code step}, each with up to four elements in flight. */
    static final String COPY = """
            template <typename T> static __device__ __forceinline__ void pgas_copy_elements(char *dst, const char *src,
                                                                         long long count, long long first, long long step) {
                for (long long i = first; i < count; i += 4 * step) {
                    T several[4];
                    #pragma unroll
                    for (int k = 0; k < 4; k++) {
                        several[k] = ((const T *) src)[min(i + k * step, count - 1)];
                    }
                    #pragma unroll
                    for (int k = 0; k < 4; k++) {
                        if (i + k * step < count) {
                            ((T *) dst)[i + k * step] = several[k];
                        }
                    }
                }
            }

            static __device__ __forceinline__ void pgas_copy_bytes(char *dst, const char *src, long long bytes, long long first,
                                                                   long long step) {
                unsigned long long both = (unsigned long long) dst | (unsigned long long) src;
                long long done = 0;
                if ((both & 15) == 0) {
                    done = bytes & ~15;
                    pgas_copy_elements<uint4>(dst, src, done / 16, first, step);
                } else if ((both & 3) == 0) {
                    done = bytes & ~3;
                    pgas_copy_elements<unsigned>(dst, src, done / 4, first, step);
                }
                pgas_copy_elements<char>(dst + done, src + done, bytes - done, first, step);
            }
            """;

    static final Kernel KERNEL = new Kernel("pgas_copy", COPY + """

            extern "C" __global__ void __launch_bounds__(256) pgas_copy(char *dst, const char *src, long long bytes) {
                pgas_copy_bytes(dst, src, bytes, (long long) blockIdx.x * blockDim.x + threadIdx.x,
                                (long long) gridDim.x * blockDim.x);
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
