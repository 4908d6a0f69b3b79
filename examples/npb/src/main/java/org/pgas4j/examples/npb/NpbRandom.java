package org.pgas4j.examples.npb;

/**
 * The benchmarks' pseudorandom numbers (section 2.3 of the specification): {@code x[k+1] = 5^13 x[k] mod 2^46}, each as
 * {@code 2^-46 x}. For one thread.
 */
final class NpbRandom {

    private static final long MULTIPLIER = 1_220_703_125;   // 5^13
    private static final long MASK = (1L << 46) - 1;
    private static final double UNIT = 0x1p-46;

    private long x;

    NpbRandom(long seed) {
        this.x = seed;
    }

    /** The next number, in (0, 1). */
    double next() {
        x = x * MULTIPLIER & MASK;   // the low 64 bits of a product are exact
        return UNIT * x;
    }

    /** Passes over {@code count} numbers, in O(log count): the multiplier's powers by repeated squaring. */
    NpbRandom skip(long count) {
        long power = MULTIPLIER;
        for (long left = count; left > 0; left >>= 1) {
            if ((left & 1) == 1) {
                x = x * power & MASK;
            }
            power = power * power & MASK;
        }
        return this;
    }
}
