package org.pgas4j.array;

import org.pgas4j.ExceptionalExit;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;

/**
 * A counter of all ranks that gives each number once: the shared counter by which programs with Global Arrays divide tasks of
 * uneven cost ({@code nxtval}, {@code NGA_Read_inc}). {@link #next} is one-sided, an atomic addition. Used by the rank's thread.
 */
public final class SharedCounter implements AutoCloseable {

    private final Rank rank;
    private final SharedLongs word;

    private SharedCounter(Rank rank, SharedLongs word) {
        this.rank = rank;
        this.word = word;
    }

    /**
     * Collective, and a barrier as well: a counter that begins with 0.
     *
     * @param home rank whose host memory holds it, the same on all ranks
     */
    public static SharedCounter allocate(Rank rank, int home) {
        try (Scope _ = rank.offDevice()) {
            SharedCounter counter = new SharedCounter(rank, rank.allAllocLongs(Layout.onRank(home), 1));
            counter.reset(0);
            return counter;
        }
    }

    /** The next number. */
    public long next() {
        return next(1);
    }

    /**
     * The first of the next {@code count} numbers, all of which are the caller's.
     *
     * @throws IllegalArgumentException if {@code count} is below 1
     */
    public long next(long count) {
        if (count < 1) {
            throw new IllegalArgumentException("next of a counter, rank " + rank.rank() + ": count=" + count
                    + " (expected: >= 1)");
        }
        return rank.atomics().fetchAdd(word.pointer(), count);
    }

    /** Collective, a barrier at its begin and at its end: makes {@code value} the next number. */
    public void reset(long value) {
        rank.barrier();
        if (word.rankOf(0) == rank.rank()) {
            rank.atomics().set(word.pointer(), value);
        }
        rank.barrier();
    }

    /** Collective, and a barrier as well: frees the counter. {@link ExceptionalExit On the way of an exception} it does nothing. */
    @Override
    public void close() {
        if (!ExceptionalExit.isTaken()) {
            rank.allFree(word);
        }
    }
}
