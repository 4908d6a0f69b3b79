package org.pgas4j.runtime.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.pgas4j.kernel.ThreadKernel;

/** Runs a block of a kernel's grid on the host device. */
final class HostGrid {

    private HostGrid() {
    }

    /**
     * Runs all threads of a block: one after the other, or as threads of their own if they wait for each other.
     *
     * @param memory runs part of the kernel with its memory
     */
    static void runBlock(ThreadKernel body, long block, long blocks, int threads, boolean wait, HostKernel memory) {
        HostThread.Block shared = new HostThread.Block(wait ? threads : 1);
        if (!wait || threads == 1) {
            memory.run(() -> {
                for (int thread = 0; thread < threads; thread++) {
                    body.run(new HostThread(block, blocks, thread, threads, shared));
                }
            });
            return;
        }
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            HostThread thread = new HostThread(block, blocks, i, threads, shared);
            all.add(Thread.ofVirtual().start(() -> {
                try {
                    memory.run(() -> body.run(thread));
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
