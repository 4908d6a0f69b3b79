package org.pgas4j.examples.matmul;

import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;

/**
 * Stands for work on a tile that keeps a device busy for a time that depends on the tile. On the host device it sleeps: a kernel
 * of a GPU takes no time of the host's processors either. So its two bodies differ, and it is not written as one Java kernel.
 */
final class StandInKernel {

    private static final Kernel KERNEL = new Kernel("pgas_matmul_long", """
            extern "C" __global__ void pgas_matmul_long(long long ns) {
                unsigned long long start, now;
                asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
                do {
                    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
                } while (now - start < (unsigned long long) ns);
            }
            """, (_, args) -> {
                long end = System.nanoTime() + args.longAt(0);
                for (long left = args.longAt(0); left > 0; left = end - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            });
    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);
    private static final double NS_PER_MS = 1e6;
    /** Odd, so that neighbouring tiles take different times. */
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private StandInKernel() {
    }

    /** Nanoseconds for a tile: between a half and one and a half of the mean, the same in each run. */
    static long ns(double meanMs, long tile) {
        double part = (tile * MIX >>> 11) * 0x1p-53;
        return Math.round((part + 0.5) * meanMs * NS_PER_MS);
    }

    /** Queues the kernel of a tile. */
    static void launch(Rank rank, double meanMs, long tile) {
        if (meanMs > 0) {
            rank.stream().launch(KERNEL, ONE, ns(meanMs, tile));
        }
    }
}
