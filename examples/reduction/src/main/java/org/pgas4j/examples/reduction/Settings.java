package org.pgas4j.examples.reduction;

import org.pgas4j.UsageException;

/**
 * What is to be run, the same on all ranks.
 *
 * @param style   who communicates
 * @param values  of each rank
 * @param blocks  of each rank
 * @param threads of a block, a multiple of 32
 * @param proxy   blocks of different ranks reach each other through the host only
 * @param warmup  sums before those measured
 * @param runs    sums measured
 */
public record Settings(Style style, long values, int blocks, int threads, boolean proxy, int warmup, int runs) {

    private static final int WARP = 32;
    /** {@link Values#sum} stays exact up to this many values of all ranks. */
    private static final long MOST_VALUES = 1L << 36;

    public Settings {
        atLeast(1, "--values", values);
        atLeast(1, "--blocks", blocks);
        atLeast(0, "--warmup", warmup);
        atLeast(1, "--runs", runs);
        if (threads < WARP || threads > 1024 || threads % WARP != 0) {
            throw new UsageException("--threads " + threads + " (expected: a multiple of " + WARP + ", <= 1024)");
        }
        if (values > MOST_VALUES) {
            throw new UsageException("--values " + values + " (expected: <= " + MOST_VALUES + ")");
        }
    }

    private static void atLeast(long least, String option, long value) {
        if (value < least) {
            throw new UsageException(option + " " + value + " (expected: >= " + least + ")");
        }
    }
}
