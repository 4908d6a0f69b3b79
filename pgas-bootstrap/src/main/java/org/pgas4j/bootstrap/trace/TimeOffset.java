package org.pgas4j.bootstrap.trace;

import java.util.function.LongSupplier;

/**
 * A measured offset between two clocks. It is found by asking for the other's time, many times, and keeping the answer that came
 * fastest: that was given between question and receipt, so the offset is wrong by half the time between the two at most
 * (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989).
 *
 * @param localNs  time of the measurement by the local clock
 * @param offsetNs to add to the local time for the other's
 * @param errorNs  bound of the error of {@code offsetNs} at that time
 */
record TimeOffset(long localNs, long offsetNs, long errorNs) {

    /** Error of an offset that was not measured. */
    static final long UNKNOWN_NS = Long.MAX_VALUE;

    /** An offset that was not measured. */
    static TimeOffset unknown(long localNs) {
        return new TimeOffset(localNs, 0, UNKNOWN_NS);
    }

    /** The clock of the same machine. */
    static TimeOffset same(long localNs) {
        return new TimeOffset(localNs, 0, 0);
    }

    /**
     * Measures.
     *
     * @param clock     the local one
     * @param other     returns the other clock's time after an exchange with it
     * @param questions number of exchanges, at least 1
     */
    static TimeOffset measure(LongSupplier clock, LongSupplier other, int questions) {
        TimeOffset best = null;
        for (int i = 0; i < questions; i++) {
            long askedNs = clock.getAsLong();
            long answerNs = other.getAsLong();
            long heardNs = clock.getAsLong();
            long roundNs = heardNs - askedNs;
            if (best == null || (roundNs + 1) / 2 < best.errorNs) {
                long middleNs = askedNs + roundNs / 2;
                best = new TimeOffset(middleNs, answerNs - middleNs, (roundNs + 1) / 2);
            }
        }
        return best;
    }
}
