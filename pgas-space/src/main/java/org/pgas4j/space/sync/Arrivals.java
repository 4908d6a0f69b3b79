package org.pgas4j.space.sync;

import org.pgas4j.OwnThread;
import org.pgas4j.space.memory.Peers;

/**
 * The way into and out of all that ranks do together, barriers and exchanges of words: what a rank has put before it arrives is
 * complete at its target before any other rank can leave. One per rank, used by its thread alone.
 */
public final class Arrivals {

    /** Begun barriers of a rank whose lines are found: a look at the stack takes as long as a barrier. */
    private static final int MAX_LINES = 64;

    private final int rank;
    private final Peers peers;
    private final Thread owner = Thread.currentThread();
    private final Runnable complete;
    private final HappensBefore ordering;
    private final CallTexts texts;
    private final PeerBarriers barriers;
    private boolean begun;    // a split barrier, which has not been ended
    private String begunAt;   // its line; null if it was not looked for
    private int lines;

    /**
     * Belongs to the calling thread.
     *
     * @param complete completes all transfers of the rank at their targets
     * @param ordering is told of arrivals and departures
     */
    public Arrivals(int rank, Peers peers, Waiter waiter, Runnable complete, HappensBefore ordering) {
        this.rank = rank;
        this.peers = peers;
        this.complete = complete;
        this.ordering = ordering;
        this.texts = new CallTexts(rank, peers, waiter);
        this.barriers = new PeerBarriers(rank, peers);
    }

    /**
     * Refuses other threads than the rank's, whose waits nobody would end.
     *
     * @throws IllegalStateException if the caller is another thread
     */
    public void requireOwnThread(String call) {
        if (Thread.currentThread() != owner) {
            throw OwnThread.refused(owner, rank, call, "");
        }
    }

    /**
     * Refuses a collective call of another thread, and one between the halves of a split barrier.
     *
     * @throws IllegalStateException that says which
     */
    public void requireCollective(String call) {
        requireOwnThread(call);
        if (begun) {
            throw refused(call);
        }
    }

    private IllegalStateException refused(String call) {
        return new IllegalStateException(begun() + " and calls " + call + " at " + CallSite.find() + ": endBarrier() comes first");
    }

    /** Text of the barrier that has begun. */
    String begun() {
        return "rank " + rank + " has begun a barrier" + (begunAt != null ? " at " + begunAt : begun
                ? " (pgas.check=full finds the line)" : "");
    }

    /** The first half of a split barrier: no collective calls until {@link #endBarrier}. */
    void beginBarrier() {
        begun = true;
        begunAt = ordering != HappensBefore.NONE || lines++ < MAX_LINES ? CallSite.find() : null;
    }

    /** The split barrier has ended, or never will because a rank is lost. */
    public void endBarrier() {
        begun = false;
        begunAt = null;
    }

    /** Calls that this rank is in, for others, and those that they are in. */
    CallTexts texts() {
        return texts;
    }

    /** Which barriers others have come to. */
    PeerBarriers barriers() {
        return barriers;
    }

    /**
     * Completes the rank's transfers, unless a member is known to be lost; nothing that lets another rank go on has been written yet. See {@link
     * HappensBefore#arrives}.
     */
    void arrive(long place, int[] members, long number) {
        peers.requireLiving(members);
        complete.run();
        ordering.arrives(place, members, number);
    }

    /** See {@link HappensBefore#leaves}. */
    void leave(long place, int[] members, long number) {
        ordering.leaves(place, members, number);
    }
}
