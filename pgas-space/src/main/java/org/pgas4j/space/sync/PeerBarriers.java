package org.pgas4j.space.sync;

import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;

/**
 * Looks up which barriers other ranks have come to, and never waits for it: one of another node may be busy and not answer. Used
 * by the rank's thread.
 */
final class PeerBarriers {

    private final Peers peers;
    private final Endpoint own;
    private Endpoint asked;
    private long ticket;

    PeerBarriers(int rank, Peers peers) {
        this.peers = peers;
        this.own = peers.get(rank).endpoint();
    }

    /** Number of the last barrier that a rank has come to; an older one, or 0, if that is not known yet. */
    long entered(int rank) {
        Endpoint peer = peers.get(rank).endpoint();
        if (peer.mapped() != null) {
            return peer.getWordAcquire(ControlArea.ENTERED);
        }
        if (asked != null && !asked.isComplete(ticket)) {
            return 0;
        }
        long known = asked == peer ? own.getWordAcquire(ControlArea.LOOKED_UP) : 0;
        asked = peer;
        ticket = peer.startGet(own.mapped(), ControlArea.LOOKED_UP, ControlArea.ENTERED, Long.BYTES);
        return known;
    }
}
