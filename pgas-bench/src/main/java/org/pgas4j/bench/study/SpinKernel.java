package org.pgas4j.bench.study;

import org.pgas4j.Kernel;
import org.pgas4j.Rank;

/** Keeps a device busy for a given time, with one thread or several. */
final class SpinKernel {

    private static final Kernel KERNEL = new Kernel("pgas_bench_spin", """
            extern "C" __global__ void pgas_bench_spin(long long ns) {
                unsigned long long start, now;
                asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
                do {
                    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
                } while (now - start < (unsigned long long) ns);
            }
            """, (_, args) -> {
                long start = System.nanoTime();
                long ns = args.longAt(0);
                while (System.nanoTime() - start < ns) {
                    Thread.onSpinWait();
                }
            });
    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);

    private final Rank rank;
    private final Kernel.Shape shape;
    private final Object[] arguments;

    SpinKernel(Rank rank, long ns) {
        this(rank, ns, ONE);
    }

    /** The same with as many threads as a shape has, each of which is busy for that time. */
    SpinKernel(Rank rank, long ns, Kernel.Shape shape) {
        this.rank = rank;
        this.shape = shape;
        this.arguments = new Object[] {ns};
    }

    /** Runs it on the rank's stream and waits. */
    void run() {
        rank.stream().launch(KERNEL, shape, arguments);
        rank.stream().sync();
    }
}
