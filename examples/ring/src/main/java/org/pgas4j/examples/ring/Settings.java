package org.pgas4j.examples.ring;

import org.pgas4j.examples.common.Options;

/**
 * What is to be run, the same on all ranks.
 *
 * @param style   who passes the token on
 * @param bytes   of the token
 * @param rounds  of the token in a run
 * @param blocks  of each rank
 * @param threads of a block, a multiple of 32
 * @param proxy   blocks of different ranks reach each other through the host only
 * @param warmup  runs before those measured
 * @param runs    runs measured
 */
public record Settings(Style style, int bytes, int rounds, int blocks, int threads, boolean proxy, int warmup, int runs) {

    public Settings {
        Options.inRange("--bytes", bytes, Token.MIN_BYTES, 1 << 30);
        Options.inRange("--rounds", rounds, 1, 1 << 20);
        Options.inRange("--blocks", blocks, 1, 1 << 16);
        Options.threads(threads);
        Options.inRange("--warmup", warmup, 0, Integer.MAX_VALUE);
        Options.inRange("--runs", runs, 1, Integer.MAX_VALUE);
    }
}
