package org.pgas4j.bench.lab;

import java.util.SplittableRandom;

/**
 * Pauses between requests whose lengths fill a range evenly, in an order without a pattern: each is a golden section of the range
 * after the one before, and the first is random (H. Weyl, Ueber die Gleichverteilung von Zahlen mod. Eins, 1916). Ten requests
 * then meet ten parts of an owner's turn, where random ones would meet some twice and others never, so that a median of few says
 * as much as one of many random ones.
 */
public final class EvenPauses {

    private static final double GOLDEN_SECTION = (Math.sqrt(5) - 1) / 2;

    private final long maxNs;
    private double share;

    /** Pauses below a length. */
    public EvenPauses(long maxNs, SplittableRandom random) {
        this.maxNs = maxNs;
        this.share = random.nextDouble();
    }

    /** The next one, nanoseconds. */
    public long nextNs() {
        share = (share + GOLDEN_SECTION) % 1;
        return (long) (share * maxNs);
    }
}
