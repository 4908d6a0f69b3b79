package org.pgas4j.kernel.runtime;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A barrier for the threads of a block on the host device, which are virtual. A thread that waits first lets the others run,
 * since most often the last of them arrives soon, and parks only after that. A failure ends all waits, and so does a thread that has
 * ended: it comes to no further one. If all threads of the block are parked, in this barrier and others, one of them has the failure.
 */
final class BlockBarrier {

    /** End of a wait. */
    enum Outcome {
        MET,
        /** A thread has failed. */
        FAILED,
        /** A thread has ended, and does not come. */
        GONE,
        /** All threads of the block are parked. */
        STUCK
    }

    private static final int NOBODY = -1;
    private static final int YIELDS = 32;
    private static final int COUNT_BITS = 16;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    private final int threads;
    /** From the top: phase, threads that have arrived in this phase. */
    private final AtomicLong state = new AtomicLong();
    private final Queue<Thread> parked = new ConcurrentLinkedQueue<>();
    private final ParkedThreads ofBlock;
    private final int yields;
    private volatile boolean failed;
    private volatile int gone = NOBODY;

    /** @param threads at most 65535 */
    BlockBarrier(int threads, ParkedThreads ofBlock) {
        this(threads, ofBlock, YIELDS);
    }

    /** @param yields of a thread that waits, before it parks */
    BlockBarrier(int threads, ParkedThreads ofBlock, int yields) {
        this.threads = threads;
        this.ofBlock = ofBlock;
        this.yields = yields;
    }

    private static long arrived(long state) {
        return state & COUNT_MASK;
    }

    private static long phase(long state) {
        return state >>> COUNT_BITS;
    }

    private long next(long state) {
        return arrived(state) + 1 == threads ? phase(state) + 1 << COUNT_BITS : state + 1;
    }

    /**
     * Waits for all threads.
     *
     * @param thread that calls, its number in the block
     */
    Outcome await(int thread) {
        long before = state.get();
        while (!state.compareAndSet(before, next(before))) {
            before = state.get(); // acquire: what the others wrote before they arrived
        }
        if (arrived(before) + 1 == threads) {
            wakeAll();
        } else if (isStuck(thread, phase(before))) {
            return Outcome.STUCK;
        }
        if (failed) {
            return Outcome.FAILED;
        }
        // The phase again, behind the reason to end: a thread may have ended after all had come.
        return gone == NOBODY || phase(state.get()) != phase(before) ? Outcome.MET : Outcome.GONE;
    }

    /** Waits for the end of a phase; true if it does not come because all threads of the block wait. */
    private boolean isStuck(int thread, long phase) {
        for (int i = 0; i < yields && isIn(phase); i++) {
            Thread.yield();
        }
        while (isIn(phase)) {
            parked.add(Thread.currentThread()); // each time: the one before may have been taken for the phase before
            if (isIn(phase)) {              // else whoever has ended the phase may not have seen it
                if (ofBlock.add(thread, this, phase)) {
                    return true;
                }
                LockSupport.park(this);
                ofBlock.remove(thread);
            }
        }
        return false;
    }

    /** True while threads wait for the end of a phase. */
    boolean isIn(long phase) {
        return phase(state.get()) == phase && !failed && gone == NOBODY;
    }

    private void wakeAll() {
        for (Thread thread = parked.poll(); thread != null; thread = parked.poll()) {
            LockSupport.unpark(thread);
        }
    }

    /** Ends the waits that a thread does not come to any more, because it has ended. */
    void leave(int thread) {
        gone = thread;
        wakeAll();
    }

    /** The thread that has ended last. */
    int gone() {
        return gone;
    }

    /** Ends all waits, because a thread has failed. */
    void fail() {
        failed = true;
        wakeAll();
    }
}
