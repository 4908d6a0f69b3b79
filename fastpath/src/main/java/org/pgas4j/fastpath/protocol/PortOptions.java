package org.pgas4j.fastpath.protocol;

import org.pgas4j.fastpath.ring.RingLayout;

/**
 * Settings of the message protocols; the same in all JVMs of a job.
 *
 * @param ring       layout of the ring of each direction of a pair
 * @param pieceBytes largest piece of a rendezvous
 * @param depth      pieces of a rendezvous in flight
 * @param cacheBytes bytes of registered temporaries that a rank keeps
 * @param bufferedBytes bytes of registered temporaries in which a rank holds puts whole until their owners have taken them
 */
public record PortOptions(RingLayout ring, long pieceBytes, int depth, long cacheBytes, long bufferedBytes) {

    /** Largest number of pieces that have slots at the same time. */
    static final int MAX_SLOTS = 1024;

    // Chunks of a ring are kept free for messages that other messages depend on. From the first to be refused to the last:
    // data, the rendezvous that takes data's place when a ring is full, answers to gets, counts of rendezvous.
    // No rank has more gets in progress with a peer than there are chunks kept for answers, so an answer always finds one:
    // else two ranks could wait for each other, both rings full of gets.

    private static final int FOR_COUNTS = 2;
    private static final int FOR_RENDEZVOUS = 2;

    /** Largest number of parts of gets in progress with one rank. */
    public int maxGets() {
        return ring.chunks() / 4;
    }

    /** Chunks that answers leave free. */
    int keptFromAnswers() {
        return FOR_COUNTS;
    }

    /** Chunks that requests for a rendezvous leave free. */
    int keptFromRendezvous() {
        return FOR_COUNTS + maxGets();
    }

    /** Chunks that puts, gets and fences leave free. */
    int keptFromData() {
        return FOR_RENDEZVOUS + keptFromRendezvous();
    }

    /** Largest number of chunks that a receiver consumes without a report: half of those that data may use. */
    int maxUnreported() {
        return (ring.chunks() - keptFromData()) / 2;
    }
}
