package org.pgas4j.space.sync;

import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;

/**
 * The way of a barrier's release from the rank that completes it to all others. The first rank of each node, its leader, has
 * a word that the ranks of the node look at; the leaders form a tree with {@value #FAN_OUT} children each, whose root is rank 0.
 * A rank that comes to wait and sees the release hands it on to the words of its node's children, once for the node.
 *
 * <p>A rank that has notified and computes hands on nothing, so nobody depends on that: ranks that have waited for a while also
 * look up the words above theirs, one after the other, up to rank 0's, which the last rank to notify writes. Such a look never
 * waits for the other rank. Nodes are counted so that the tree has O(log nodes) levels, and no word is written or read by more
 * than a node's ranks and {@value #FAN_OUT} nodes, except by late ranks. Used by the rank's thread.
 */
public final class ReleaseTree {

    static final int FAN_OUT = 8;

    /** Looks at the node's word before the first at one above. */
    private static final int PATIENCE = 256;
    private static final long BETWEEN_NS = 50_000;

    private final Peers peers;
    private final Endpoint own;
    private final int[] leaders;
    private final int node;
    private Endpoint leader;
    private long word;
    private int looks;
    private int above;
    private long lookedNs;
    private Endpoint asked;
    private long ticket;

    /**
     * @param leaders first rank of each node, by node; rank 0 is the first of the first
     * @param node    of the rank
     */
    public ReleaseTree(int rank, Peers peers, int[] leaders, int node) {
        this.peers = peers;
        this.leaders = leaders;
        this.node = node;
        this.own = peers.get(rank).endpoint();
    }

    /** Writes the release, for the rank that completes the barrier: {@code last} came last. */
    void write(long release, int last) {
        write(peers.get(leaders[0]).endpoint(), release, last(release, last));
        if (node != 0) {
            write(leader(), release, last(release, last));
        }
    }

    /**
     * The word that names the rank that came last also has the high half of its release: one of an older barrier is
     * not taken.
     */
    private static long last(long release, int rank) {
        return (release >>> Integer.SIZE) << Integer.SIZE | rank;
    }

    private static void write(Endpoint to, long release, long last) {
        to.putWordRelease(ControlArea.LAST, last);
        // release: pairs with the acquires in poll and lookAbove
        to.putWordRelease(ControlArea.RELEASE, release);
    }

    private Endpoint leader() {
        if (leader == null) {
            leader = peers.get(leaders[node]).endpoint();
        }
        return leader;
    }

    /** Begins a wait. */
    void begin() {
        leader();
        looks = 0;
        above = node;
        asked = null;
    }

    /**
     * Looks for a release; if there is one, hands it on.
     *
     * @param shift  low bits of a word that are no part of its epoch
     * @param wanted epoch
     * @return true if it has come: {@link #word}
     */
    boolean poll(int shift, long wanted) {
        word = leader.getWordAcquire(ControlArea.RELEASE);
        if (word >>> shift != wanted) {
            if (node == 0 || ++looks < PATIENCE || !lookAbove() || word >>> shift != wanted) {
                return false;
            }
            leader.putWordRelease(ControlArea.RELEASE, word);
        }
        handOn();
        return true;
    }

    /** The word of the release that came last. */
    long word() {
        return word;
    }

    /** Rank that came last to the barrier of {@link #word}; -1 if that is not known here. */
    int last() {
        if (leader.mapped() == null) {
            return -1;
        }
        long last = leader.getWordAcquire(ControlArea.LAST);
        return last >>> Integer.SIZE == word >>> Integer.SIZE ? (int) last : -1;
    }

    /** Reads a word above, the next one each time; false if none has been read. */
    private boolean lookAbove() {
        boolean known = asked != null && asked.isComplete(ticket);
        if (known) {
            word = own.getWordAcquire(ControlArea.RELEASE_ABOVE);
            asked = null;
        }
        long nowNs = System.nanoTime();
        if (asked != null || nowNs - lookedNs < BETWEEN_NS) {
            return known;
        }
        lookedNs = nowNs;
        above = above == 0 ? parent(node) : parent(above);
        Endpoint next = peers.get(leaders[above]).endpoint();
        if (next.mapped() != null) {
            word = next.getWordAcquire(ControlArea.RELEASE);
            return true;
        }
        asked = next;
        ticket = next.startGet(own.mapped(), ControlArea.RELEASE_ABOVE, ControlArea.RELEASE, Long.BYTES);
        return known;
    }

    private static int parent(int child) {
        return child == 0 ? 0 : (child - 1) / FAN_OUT;
    }

    /** Writes the words of the children, by the first rank of the node to come here. */
    private void handOn() {
        int first = node * FAN_OUT + 1;
        if (first >= leaders.length) {
            return;
        }
        long handedOn = leader.getWordAcquire(ControlArea.HANDED_ON);
        if (handedOn == word || !leader.compareAndSetWord(ControlArea.HANDED_ON, handedOn, word)) {
            return;
        }
        long last = leader.getWordAcquire(ControlArea.LAST);
        for (int child = first; child < Math.min(first + FAN_OUT, leaders.length); child++) {
            write(peers.get(leaders[child]).endpoint(), word, last);
            peers.wake(leaders[child]);
        }
    }
}
