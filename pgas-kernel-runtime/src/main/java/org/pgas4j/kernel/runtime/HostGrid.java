package org.pgas4j.kernel.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.pgas4j.kernel.ThreadKernel;

/** Runs a block of a kernel's grid on the host device by threads of its own, which can wait for each other. */
final class HostGrid {

    private HostGrid() {
    }

    /**
     * Runs all threads of a block.
     *
     * @param bodies gives the body for a thread
     * @param rank   of the launch
     */
    static void runBlock(Supplier<ThreadKernel> bodies, int rank, long block, long blocks, int threads) {
        HostThread.Block shared = new HostThread.Block(rank, threads);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> all = new ArrayList<>(threads);
        for (int i = 0; i < threads; i++) {
            HostThread thread = new HostThread(block, blocks, i, threads, shared);
            ThreadKernel body = bodies.get();
            all.add(Thread.ofVirtual().start(() -> {
                try {
                    body.run(thread);
                    shared.leave(thread.thread());
                } catch (Throwable e) { // of the user's code: it ends the launch
                    failure.compareAndSet(null, e);
                    shared.fail();
                }
            }));
        }
        join(all);
        rethrow(failure.get());
    }

    private static void join(List<Thread> all) {
        boolean interrupted = false;
        for (Thread thread : all) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(Throwable failure) {
        switch (failure) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }
}
