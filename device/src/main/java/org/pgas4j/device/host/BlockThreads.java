package org.pgas4j.device.host;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.os.trace.Trace;

/** A grid whose blocks may wait for each other: each block is a thread. Thread-safe. */
final class BlockThreads {

    private static final long STACK_BYTES = 512 * 1024;

    private final BlockGrid grid;
    private final String owner;
    private final int rank = Trace.rank(); // of the stream
    private final AtomicReference<KernelException> failure = new AtomicReference<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    BlockThreads(BlockGrid grid, String owner) {
        this.grid = grid;
        this.owner = owner;
    }

    /**
     * Runs all blocks and waits for them.
     *
     * @throws KernelException if a block threw; names the first
     */
    void run(Kernel.Args args) {
        for (int block = 0; block < grid.blocks(); block++) {
            int number = block;
            threads.add(Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name("pgas-block-" + block + " of " + owner)
                    .start(() -> runBlock(number, args)));
        }
        for (Thread thread : threads) {
            join(thread);
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    /** Interrupts the blocks that run. */
    void interrupt() {
        threads.forEach(Thread::interrupt);
    }

    private void runBlock(int block, Kernel.Args args) {
        try {
            if (Trace.isOn()) {
                runTraced(block, args);
            } else {
                grid.body().run(block, args);
            }
        } catch (Throwable e) { // of the user's code: it fails the launch
            failure.compareAndSet(null, new KernelException("block program " + grid.kernel().name() + " failed at block "
                    + block + " of " + grid.blocks() + ": " + e, e));
        }
    }

    private void runTraced(int block, Kernel.Args args) throws Exception {
        Trace.attachBlock(rank);
        long beginNs = System.nanoTime();
        try {
            grid.body().run(block, args);
        } finally {
            Trace.block(grid.kernel().name(), block, beginNs);
        }
    }

    /** Waits in spite of interrupts: blocks end by their own deadlines. */
    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
