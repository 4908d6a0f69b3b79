package org.pgas4j.testkit.fuzz;

import java.util.function.LongSupplier;

/**
 * The batches of one rank: each rank takes the next that none has, until all are done or another one would probably not end within
 * the limit, so that no rank waits for longer than a batch takes. For one thread.
 */
final class FuzzTurns {

    private final LongSupplier numbers;
    private final long batches;
    private final long limitNs;
    private final LongSupplier clock;
    private final long startNs;
    private long longestNs;
    private long lastNs;
    private long done;

    /**
     * Turns that begin now.
     *
     * @param numbers gives the number of a batch that no rank has had, from {@code batches} on if there is none
     * @param batches of all ranks
     * @param limitNs nanoseconds for all of them; 0 for no limit. The first batch is done in any case
     * @param clock   gives nanoseconds
     */
    FuzzTurns(LongSupplier numbers, long batches, long limitNs, LongSupplier clock) {
        this.numbers = numbers;
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
        if (done > 0 && limitNs > 0 && now - startNs + longestNs > limitNs) {
            return -1;
        }
        long number = numbers.getAsLong();
        if (number >= batches) {
            return -1;
        }
        done++;
        return number;
    }

    /** Batches that were given out. */
    long done() {
        return done;
    }
}
