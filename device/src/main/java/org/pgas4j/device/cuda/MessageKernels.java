package org.pgas4j.device.cuda;

import java.util.stream.IntStream;
import org.pgas4j.Kernel;

/**
 * Small messages of a stream as kernels of one block: bytes for a peer's memory and a word of host memory behind them, and waits for
 * such words. Between kernels a stream does not go over to the copy engine and to the words of its own queue and back, which takes
 * half of the time of a message. Functions and shapes are fixed; streams of the device share them, each launch is its stream's.
 */
final class MessageKernels {

    /** Beyond this many blocks, and one kernel more for the word, are faster than one block: in a graph, and queued one by one. */
    private static final long MAX_CAPTURED = 32 * 1024;
    private static final long MAX_QUEUED = 64 * 1024;

    /** Up to here many blocks copy: the copy engine is as fast by itself, but takes 8 us more between kernels. */
    private static final long MAX_COPIED = 32 << 20;

    private static final int MAX_THREADS = 512;
    private static final long BYTES_OF_THREAD = 16;

    /** Threads store all they have before the word; a fence of the whole system lies between. */
    static final Kernel SEND = new Kernel("pgas_message_send", CopyKernel.COPY + """

            extern "C" __global__ void __launch_bounds__(512) pgas_message_send(char *dst, const char *src, long long bytes,
                                                                                 unsigned long long *word, unsigned long long value) {
                BEGIN
                pgas_copy_bytes(dst, src, bytes, threadIdx.x, blockDim.x);
                __syncthreads();
                if (threadIdx.x == 0) {
                    // release: pairs with the acquire of who waits for the word; the barrier adds what the other threads stored
                    asm volatile("fence.acq_rel.sys;" ::: "memory");
                    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(word), "l"(value) : "memory");
                }
            }
            """.replace("BEGIN", begin()), null);

    /** A word that is taken is 0 everywhere before anything that the stream does behind. */
    static final Kernel AWAIT = new Kernel("pgas_message_await", """
            extern "C" __global__ void __launch_bounds__(32) pgas_message_await(unsigned long long *word, unsigned long long value,
                                                                                 long long taken, unsigned long long limit) {
                BEGIN
                if (threadIdx.x != 0) {
                    return;
                }
                unsigned long long found, now, until = 0;
                int looks = 0;
                while (true) {
                    // acquire: pairs with the release of who set the word
                    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(found) : "l"(word) : "memory");
                    if (taken ? found != 0 : (long long) (found - value) >= 0) {
                        break;
                    }
                    if ((++looks & 255) == 0) {
                        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
                        until = until == 0 ? now + limit : until;
                        if (now > until) {
                            __trap();
                        }
                    }
                }
                if (taken) {
                    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(word), "l"(0ull) : "memory");
                    asm volatile("fence.acq_rel.sys;" ::: "memory");
                }
            }
            """.replace("BEGIN", begin()), null);

    private static final Kernel.Shape ONE_WARP = new Kernel.Shape(1, 32);
    private static final Kernel.Shape[] SHAPES = IntStream.of(32, 128, MAX_THREADS)
            .mapToObj(threads -> new Kernel.Shape(1, threads)).toArray(Kernel.Shape[]::new);

    private final CudaKernels.Function send;
    private final CudaKernels.Function await;
    private final boolean waits;
    private final long limitNs;

    /**
     * Loads the kernels, and the one that copies more: later a wait of a stream would hold up the call of the driver.
     *
     * @param waits   kernels wait for words, too: nobody else's kernels need this device's time
     * @param limitNs after which a wait ends the kernel with an error
     */
    MessageKernels(CudaAccelerator device, boolean waits, long limitNs) {
        this.send = device.kernels().function(SEND, device.toString());
        this.await = device.kernels().function(AWAIT, device.toString());
        device.kernels().function(CopyKernel.KERNEL, device.toString());
        this.waits = waits;
        this.limitNs = limitNs;
    }

    /** Text of a kernel that may be placed before the one before it has ended. */
    private static String begin() {
        return """
                #if __CUDA_ARCH__ >= 900
                asm volatile("griddepcontrol.wait;" ::: "memory");
                asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
                #endif""";
    }

    /** True if one block sends bytes and their word. */
    static boolean isSentWhole(long bytes, boolean captured) {
        return bytes <= (captured ? MAX_CAPTURED : MAX_QUEUED);
    }

    /** True if a kernel copies bytes that are not sent with their word. */
    boolean copies(long bytes) {
        return waits && bytes <= MAX_COPIED;
    }

    /** True if kernels wait for words, too. */
    boolean waits() {
        return waits;
    }

    private static Kernel.Shape shape(long bytes) {
        int i = 0;
        while (i < SHAPES.length - 1 && bytes > SHAPES[i].threads() * BYTES_OF_THREAD) {
            i++;
        }
        return SHAPES[i];
    }

    /** @param bytes that are {@linkplain #isSentWhole sent whole}; 0 writes the word alone */
    void send(StreamLaunches on, long dst, long src, long bytes, long word, long value) {
        on.launchEarly(send, SEND.name(), shape(bytes), dst, src, bytes, word, value);
    }

    /** @param taken waits until the word is not 0 and sets it to 0, else until it is {@code value} or later */
    void await(StreamLaunches on, long word, long value, boolean taken) {
        on.launchEarly(await, AWAIT.name(), ONE_WARP, word, value, taken ? 1 : 0, limitNs, 0);
    }
}
