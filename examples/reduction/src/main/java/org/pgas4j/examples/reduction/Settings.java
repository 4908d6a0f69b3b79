package org.pgas4j.examples.reduction;

import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Options;

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

    /** {@link Values#sum} stays exact up to this many values of all ranks. */
    private static final long MAX_VALUES = 1L << 36;

    public Settings {
        Options.atLeast(1, "--values", values);
        Options.atLeast(1, "--blocks", blocks);
        Options.atLeast(0, "--warmup", warmup);
        Options.atLeast(1, "--runs", runs);
        if (threads < Options.WARP || threads > Options.MAX_THREADS || threads % Options.WARP != 0) {
            throw new UsageException("--threads " + threads + " (expected: a multiple of " + Options.WARP + ", <= "
                    + Options.MAX_THREADS + ")");
        }
        if (values > MAX_VALUES) {
            throw new UsageException("--values " + values + " (expected: <= " + MAX_VALUES + ")");
        }
    }
}
