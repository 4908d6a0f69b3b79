package org.pgas4j.kernel.runtime;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A barrier for the threads of a block on the host device, which are virtual. A thread that waits first lets the others run,
 * since most often the last of them arrives soon, and parks only after that. A thread that has ended leaves; a failure ends all
 * waits.
 */
final class BlockBarrier {

    private static final int YIELDS = 32;
    private static final int COUNT_BITS = 16;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;
    private static final long PHASE = 1L << 2 * COUNT_BITS;

    /** From the top: phase, threads, threads that have arrived in this phase. */
    private final AtomicLong state;
    private final Queue<Thread> parked = new ConcurrentLinkedQueue<>();
    private final int yields;
    private volatile boolean failed;

    /** @param threads at most 65535 */
    BlockBarrier(int threads) {
        this(threads, YIELDS);
    }

    /** @param yields of a thread that waits, before it parks */
    BlockBarrier(int threads, int yields) {
        this.yields = yields;
        state = new AtomicLong((long) threads << COUNT_BITS);
    }

    private static long threads(long state) {
        return state >>> COUNT_BITS & COUNT_MASK;
    }

    private static long arrived(long state) {
        return state & COUNT_MASK;
    }

    private static long phase(long state) {
        return state >>> 2 * COUNT_BITS;
    }

    /** State with no thread arrived in the next phase. */
    private static long next(long state) {
        return state - arrived(state) + PHASE;
    }

    /**
     * Waits for all threads.
     *
     * @return false if one has failed
     */
    boolean await() {
        long before = state.get();
        while (!state.compareAndSet(before, arrived(before) + 1 == threads(before) ? next(before) : before + 1)) {
            before = state.get(); // acquire: what the others wrote before they arrived
        }
        if (arrived(before) + 1 == threads(before)) {
            wakeAll();
        } else {
            await(phase(before));
        }
        return !failed;
    }

    private void await(long phase) {
        for (int i = 0; i < yields && isIn(phase); i++) {
            Thread.yield();
        }
        while (isIn(phase)) {
            parked.add(Thread.currentThread()); // each time: the one before may have been taken for the phase before
            if (isIn(phase)) {              // else whoever has ended the phase may not have seen it
                LockSupport.park(this);
            }
        }
    }

    private boolean isIn(long phase) {
        return phase(state.get()) == phase && !failed;
    }

    private void wakeAll() {
        for (Thread thread = parked.poll(); thread != null; thread = parked.poll()) {
            LockSupport.unpark(thread);
        }
    }

    /** A thread has ended: the others no longer wait for it. */
    void leave() {
        long before;
        long after;
        do {
            before = state.get();
            after = before - (1L << COUNT_BITS);
            if (arrived(after) > 0 && arrived(after) == threads(after)) {
                after = next(after);
            }
        } while (!state.compareAndSet(before, after));
        if (phase(after) != phase(before)) {
            wakeAll();
        }
    }

    /** Ends all waits, because a thread has failed. */
    void fail() {
        failed = true;
        wakeAll();
    }
}
