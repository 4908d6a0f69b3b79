package org.pgas4j.examples.ring;

import org.pgas4j.UsageException;

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

    private static final int WARP = 32;

    public Settings {
        inRange("--bytes", bytes, Token.LEAST_BYTES, 1 << 30);
        inRange("--rounds", rounds, 1, 1 << 20);
        inRange("--blocks", blocks, 1, 1 << 16);
        inRange("--threads", threads, WARP, 1024);
        inRange("--warmup", warmup, 0, Integer.MAX_VALUE);
        inRange("--runs", runs, 1, Integer.MAX_VALUE);
        if (threads % WARP != 0) {
            throw new UsageException("--threads " + threads + " (expected: a multiple of " + WARP + ")");
        }
    }

    private static void inRange(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new UsageException(option + " " + value + " (expected: " + least + ".." + most + ")");
        }
    }
}
