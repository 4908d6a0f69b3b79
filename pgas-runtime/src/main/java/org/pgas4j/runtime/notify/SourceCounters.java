package org.pgas4j.runtime.notify;

import org.pgas4j.Notifications;
import org.pgas4j.SourceWindow;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * Notifications of one window that have arrived at one rank, by source and tag, and those consumed. The arrivals are words of the
 * rank's host segment, to which each source adds in words of its own; they wrap around, only differences mean anything.
 *
 * <pre>
 *   start      256 words of member 0, by tag | 256 words of member 1 | ...
 * </pre>
 */
final class SourceCounters {

    private final int members;
    private final Endpoint own;
    private final long start;
    private final long[] consumed;
    private int next; // member at which the next look for any source begins

    /**
     * @param own   the rank's own host segment
     * @param start offset there of {@link #bytes} bytes, 0 at first
     */
    SourceCounters(int members, Endpoint own, long start) {
        this.members = members;
        this.own = own;
        this.start = start;
        this.consumed = new long[Math.multiplyExact(members, Notifications.TAGS)];
    }

    /** Bytes of the counters for so many members. */
    static long bytes(int members) {
        return offset(members, 0);
    }

    /** Offset of a counter from the start of all. */
    static long offset(int source, int tag) {
        return ((long) source * Notifications.TAGS + tag) * Long.BYTES;
    }

    void checkSource(int source) {
        if (source != SourceWindow.ANY_SOURCE && (source < 0 || source >= members)) {
            throw new IndexOutOfBoundsException("source out of range: source=" + source + " ranks=" + members
                    + " (or ANY_SOURCE, " + SourceWindow.ANY_SOURCE + ")");
        }
    }

    /** Arrived and not consumed, of one source or of all; what is reserved and has not arrived does not count. */
    long available(int source, int tag) {
        if (source >= 0) {
            return of(source, tag);
        }
        long sum = 0;
        for (int member = 0; member < members; member++) {
            sum += of(member, tag);
        }
        return sum;
    }

    private long of(int source, int tag) {
        return Math.max(0, own.getWordAcquire(word(source, tag)) - consumed[source * Notifications.TAGS + tag]);
    }

    /** Offset of a counter in the rank's host segment. */
    long word(int source, int tag) {
        return start + offset(source, tag);
    }

    /** Consumes what may not have arrived; what the counter has to reach for that. */
    long reserve(int source, int tag, long count) {
        consumed[source * Notifications.TAGS + tag] += count;
        return consumed[source * Notifications.TAGS + tag];
    }

    /** Consumes {@code count} of what is available; of all sources, from member to member, those of the last look last. */
    void take(int source, int tag, long count) {
        if (source >= 0) {
            consumed[source * Notifications.TAGS + tag] += count;
            return;
        }
        long left = count;
        for (int i = 0; i < members && left > 0; i++) {
            int member = (next + i) % members;
            long taken = Math.min(left, of(member, tag));
            consumed[member * Notifications.TAGS + tag] += taken;
            left -= taken;
        }
        next = (next + 1) % members;
    }

    /** A source that has sent a notification of the tag: the given one, or the next in turn; -1 if none has. */
    int source(int source, int tag) {
        if (source >= 0) {
            return of(source, tag) > 0 ? source : -1;
        }
        for (int i = 0; i < members; i++) {
            int member = (next + i) % members;
            if (of(member, tag) > 0) {
                next = (member + 1) % members;
                return member;
            }
        }
        return -1;
    }
}
