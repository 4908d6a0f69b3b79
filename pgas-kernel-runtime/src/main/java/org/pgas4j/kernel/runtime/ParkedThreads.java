package org.pgas4j.kernel.runtime;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.pgas4j.kernel.KernelThread;

/**
 * Threads of a block on the host device that are parked in barriers: finds that all of them are, in different ones, so that none can
 * go on. Any thread of the block.
 */
final class ParkedThreads {

    private static final Set<String> OWN = Set.of(ParkedThreads.class.getName(), BlockBarrier.class.getName(),
            HostThread.class.getName(), KernelThread.class.getName());

    private record Parked(BlockBarrier barrier, long phase, Thread thread) {
    }

    private final AtomicReferenceArray<Parked> all;
    private final AtomicInteger count = new AtomicInteger();

    ParkedThreads(int threads) {
        all = new AtomicReferenceArray<>(threads);
    }

    /**
     * A thread is about to park.
     *
     * @return true if no thread can go on
     */
    boolean add(int thread, BlockBarrier barrier, long phase) {
        all.set(thread, new Parked(barrier, phase, Thread.currentThread()));
        return count.incrementAndGet() == all.length() && areStuck();
    }

    /** A thread no longer parks. */
    void remove(int thread) {
        count.decrementAndGet();
        all.set(thread, null);
    }

    /**
     * Looks twice: a thread that is seen at the same place both times has waited there in between, as all others have, and nobody was
     * left to wake one.
     */
    private boolean areStuck() {
        Parked[] seen = new Parked[all.length()];
        for (int look = 0; look < 2; look++) {
            for (int i = 0; i < seen.length; i++) {
                Parked parked = all.get(i);
                if (parked == null || look > 0 && parked != seen[i] || !parked.barrier.isIn(parked.phase)) {
                    return false;
                }
                seen[i] = parked;
            }
        }
        return true;
    }

    /** Names a thread that is parked in another barrier than {@code thread}, with its place in the program. */
    String elsewhere(int thread) {
        Parked own = all.get(thread);
        for (int i = 0; i < all.length(); i++) {
            Parked other = all.get(i);
            if (own != null && other != null && other.barrier != own.barrier) {
                return "thread " + i + " waits at " + place(other.thread);
            }
        }
        return "the others wait elsewhere";
    }

    private static String place(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (!frame.getClassName().startsWith("java.") && !OWN.contains(frame.getClassName())) {
                return frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return "an unknown line";
    }
}
