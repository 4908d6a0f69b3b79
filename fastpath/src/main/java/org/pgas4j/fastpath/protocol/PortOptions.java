package org.pgas4j.fastpath.protocol;

import org.pgas4j.fastpath.ring.RingLayout;

/**
 * Settings of the message protocols; the same in all JVMs of a job.
 *
 * @param ring       of each direction of a pair
 * @param pieceBytes what a rendezvous moves at a time
 * @param depth      pieces of a rendezvous in flight
 * @param cacheBytes of registered temporaries that a rank keeps
 */
public record PortOptions(RingLayout ring, long pieceBytes, int depth, long cacheBytes) {

    // Chunks of a ring are kept for those who need them to get others going. From the most patient to the least:
    // data, the rendezvous that takes data's place when a ring is full, answers to gets, counts of rendezvous.
    // Nobody has more gets under way with a rank than there are chunks kept for answers, so an answer always finds one:
    // else two ranks could wait for each other, both rings full of gets.

    private static final int FOR_COUNTS = 2;
    private static final int FOR_RENDEZVOUS = 2;

    /** Gets under way with one rank at most. */
    public int getsAtOnce() {
        return ring.chunks() / 4;
    }

    /** Chunks that answers leave free. */
    int keptFromAnswers() {
        return FOR_COUNTS;
    }

    /** Chunks that requests for a rendezvous leave free. */
    int keptFromRendezvous() {
        return FOR_COUNTS + getsAtOnce();
    }

    /** Chunks that puts, gets and fences leave free. */
    int keptFromData() {
        return FOR_RENDEZVOUS + keptFromRendezvous();
    }

    /** So many chunks a receiver consumes before it says so: half of those that data may use. */
    int unreportedAtMost() {
        return (ring.chunks() - keptFromData()) / 2;
    }
}
