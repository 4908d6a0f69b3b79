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

    /** Chunks that are left to control messages when puts have filled a ring. */
    public static final int CONTROL_CHUNKS = 4;
}
