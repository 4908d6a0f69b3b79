package org.pgas4j.testkit.random;

import java.util.Locale;

/** Counts what differs from the model on one rank and prints the first few. */
final class RandomMismatches {

    private static final int PRINTED = 8;

    private final int me;
    private final long seed;
    private long epoch;
    private long count;

    RandomMismatches(int me, long seed) {
        this.me = me;
        this.seed = seed;
    }

    void epoch(long next) {
        epoch = next;
    }

    long count() {
        return count;
    }

    void add(long opIndex, String where, long offset, byte expected, byte actual) {
        if (count++ < PRINTED) {
            System.out.printf(Locale.ROOT, "random: MISMATCH seed=%d epoch=%d rank=%d op=%d %s, first at %d: "
                    + "expected 0x%02x, was 0x%02x%n", seed, epoch, me, opIndex, where, offset, expected & 0xFF,
                    actual & 0xFF);
        }
    }
}
