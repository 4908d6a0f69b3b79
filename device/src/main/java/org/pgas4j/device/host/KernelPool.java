package org.pgas4j.device.host;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;

/**
 * Runs the grid of a kernel's Java body: the calling thread and up to {@code threads - 1} workers, shared by all
 * streams of the device, take blocks until none is left. Thread-safe.
 */
final class KernelPool {

    private static final long WORKER_IDLE_SECONDS = 10;
    private static final int CLAIMS_PER_THREAD = 8;

    private final int threads;
    private final ThreadPoolExecutor workers;

    KernelPool(String device, int threads) {
        this.threads = threads;
        if (threads == 1) {
            workers = null;
            return;
        }
        workers = new ThreadPoolExecutor(threads - 1, threads - 1, WORKER_IDLE_SECONDS, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("pgas-kernel-" + device + "-", 0)
                .factory());
        workers.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs all threads of the grid and waits for them.
     *
     * @throws KernelException if the body threw; names kernel, block and thread of the first failure seen
     */
    void run(Kernel kernel, Kernel.Shape shape, Kernel.Args args) {
        Grid grid = new Grid(kernel, shape, args, Thread.currentThread(),
                Math.max(1, shape.blocks() / (threads * CLAIMS_PER_THREAD)));
        int helpers = workers == null ? 0 : Math.min(threads, grid.claims()) - 1;
        for (int i = 0; i < helpers; i++) {
            workers.execute(grid);
        }
        grid.run();
        grid.join();
    }

    void close() {
        if (workers != null) {
            workers.shutdownNow();
        }
    }

    /** One launch. Workers that start late find nothing left to claim. */
    private static final class Grid implements Runnable {

        private final Kernel kernel;
        private final Kernel.Shape shape;
        private final Kernel.Args args;
        private final Thread waiter;
        private final int claim;
        private final AtomicInteger claimed = new AtomicInteger();
        private final AtomicInteger finished = new AtomicInteger();
        private final AtomicReference<KernelException> failure = new AtomicReference<>();

        Grid(Kernel kernel, Kernel.Shape shape, Kernel.Args args, Thread waiter, int claim) {
            this.kernel = kernel;
            this.shape = shape;
            this.args = args;
            this.waiter = waiter;
            this.claim = claim;
        }

        int claims() {
            return Math.ceilDiv(shape.blocks(), claim);
        }

        @Override
        public void run() {
            int claims = claims();
            for (int mine = claimed.getAndIncrement(); mine < claims; mine = claimed.getAndIncrement()) {
                int first = mine * claim;
                int end = (int) Math.min(shape.blocks(), (long) first + claim);
                for (int block = first; block < end && failure.get() == null; block++) {
                    runBlock(block);
                }
                if (finished.incrementAndGet() == claims) { // release: pairs with the read in join
                    LockSupport.unpark(waiter);
                }
            }
        }

        private void runBlock(int block) {
            Kernel.Body body = kernel.body();
            int thread = 0;
            try {
                for (; thread < shape.threads(); thread++) {
                    body.run(new Kernel.At(block, thread, shape), args);
                }
            } catch (Throwable e) { // of the user's code: it ends the launch, not this worker
                failure.compareAndSet(null, new KernelException("kernel " + kernel.name() + " failed at block " + block
                        + " thread " + thread + " of " + shape.blocks() + " x " + shape.threads() + ": " + e, e));
            }
        }

        void join() {
            int claims = claims();
            while (finished.get() != claims) {
                LockSupport.park(this);
            }
            if (failure.get() != null) {
                throw failure.get();
            }
        }
    }
}
