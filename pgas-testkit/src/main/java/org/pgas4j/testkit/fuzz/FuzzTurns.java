package org.pgas4j.testkit.fuzz;

import java.util.function.LongSupplier;

/**
 * The batches of one rank: each rank takes every so-many-th, until all are done or another one would probably not end within the
 * limit. For one thread.
 */
final class FuzzTurns {

    private final long step;
    private final long batches;
    private final long limitNs;
    private final LongSupplier clock;
    private final long startNs;
    private long next;
    private long longestNs;
    private long lastNs;
    private long done;

    /**
     * Turns that begin now.
     *
     * @param first   batch of this rank
     * @param step    distance of its batches
     * @param batches of all ranks
     * @param limitNs nanoseconds for all of them; 0 for no limit. The first batch is done in any case
     * @param clock   gives nanoseconds
     */
    FuzzTurns(long first, long step, long batches, long limitNs, LongSupplier clock) {
        this.next = first;
        this.step = step;
        this.batches = batches;
        this.limitNs = limitNs;
        this.clock = clock;
        this.startNs = clock.getAsLong();
        this.lastNs = startNs;
    }

    /** Number of the next batch, which ends the one before it; -1 if there is none. */
    long next() {
        long now = clock.getAsLong();
        longestNs = Math.max(longestNs, now - lastNs);
        lastNs = now;
        if (next >= batches || done > 0 && limitNs > 0 && now - startNs + longestNs > limitNs) {
            return -1;
        }
        done++;
        next += step;
        return next - step;
    }

    /** Batches that were given out. */
    long done() {
        return done;
    }

    /** Batches of this rank that there are without a limit. */
    long all() {
        return done + (next < batches ? Math.ceilDiv(batches - next, step) : 0);
    }
}
