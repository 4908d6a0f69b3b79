package org.pgas4j.fastpath.protocol;

import org.pgas4j.device.AcceleratorStream;

/**
 * Device copies of chunks, and atomic operations, that have been started and are not known to be complete, oldest first. All are
 * on one stream, so they are complete when it is idle. For the port's current owner.
 */
final class InFlightCopies {

    /** Copy of a message into this rank's device segment. */
    static final int PUT = 1;
    /** Copy of an answer out of this rank's device segment; the answer is sent when it is complete. */
    static final int REPLY_OUT = 2;
    /** Copy of an answer to its destination. */
    static final int REPLY_IN = 3;
    /** Atomic operation on a word of this rank's device segment; the answer is sent when it is complete. */
    static final int ATOMIC = 4;

    /** Copies that may be in flight at once. */
    static final int CAPACITY = 32;

    /**
     * Time after a copy in which the next one's end is made visible early. After a pause one more call of the driver costs more than
     * that saves: 5 to 8 us after 10 and 100 ms, where a copy takes 6.
     */
    static final long NEAR_NS = 3_000_000;

    /** One copy. */
    static final class Copy {
        int kind;
        Pair pair;
        long sequence;
        long outSequence;
        int length;
        int flags;
        Request request;
        long requestId;
        long extra;
        long sentNs;
        long seenNs;
        long startNs;
        long tracedNs; // begin on the timeline; 0 if that is off
        int type;
        int served; // bytes of the message
    }

    private final Copy[] copies = new Copy[CAPACITY];
    private AcceleratorStream stream;
    private int count;
    private boolean begun; // copies of which the stream's end is not expected yet
    private long lastNs = System.nanoTime() - NEAR_NS; // time of the copies before those

    InFlightCopies() {
        for (int i = 0; i < CAPACITY; i++) {
            copies[i] = new Copy();
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** True if a copy may be started on {@code wanted}: no other stream has copies in flight, and there is room. */
    boolean accepts(AcceleratorStream wanted) {
        return count == 0 || stream == wanted && count < CAPACITY;
    }

    /** Adds a copy that was just started on {@code on}. */
    Copy add(AcceleratorStream on, int kind, Pair pair, long sequence) {
        stream = on;
        begun = true;
        Copy copy = copies[count++];
        copy.kind = kind;
        copy.pair = pair;
        copy.sequence = sequence;
        copy.startNs = 0;
        copy.tracedNs = 0;
        return copy;
    }

    /** Prepares for looks at {@link #areComplete}, once no more copies can be started for now. */
    void expectEnd() {
        if (begun) {
            expectEnd(System.nanoTime());
        }
    }

    void expectEnd(long nowNs) {
        begun = false;
        if (nowNs - lastNs < NEAR_NS) {
            stream.expectEnd();
        }
        lastNs = nowNs;
    }

    /** True if all are complete. */
    boolean areComplete() {
        return stream.isIdle();
    }

    int count() {
        return count;
    }

    Copy get(int index) {
        return copies[index];
    }

    void clear() {
        count = 0;
    }
}
