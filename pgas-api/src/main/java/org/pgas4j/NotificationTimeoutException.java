package org.pgas4j;

/** Notifications did not come before the deadline. */
public final class NotificationTimeoutException extends PgasTimeoutException {

    private static final long serialVersionUID = 1L;

    private final int rank;
    private final int block;
    private final int window;
    private final int tag;
    private final long expected;
    private final long seen;

    /**
     * @param rank     that waited
     * @param block    its block that waited, as rank of the blocks; -1 for host code and streams
     * @param window   the window last used there, or -1
     * @param tag      waited for
     * @param expected notifications
     * @param seen     notifications there at the deadline
     * @param what     the rest of the message
     */
    public NotificationTimeoutException(int rank, int block, int window, int tag, long expected, long seen, String what) {
        super("rank=" + rank + (block < 0 ? "" : " block=" + block) + (window < 0 ? "" : " window=" + window) + " tag=" + tag
                + " expected=" + expected + " seen=" + seen + ": " + what);
        this.rank = rank;
        this.block = block;
        this.window = window;
        this.tag = tag;
        this.expected = expected;
        this.seen = seen;
    }

    /** Rank that waited. */
    public int rank() {
        return rank;
    }

    /** Block that waited, as rank of the blocks; -1 for host code and streams. */
    public int block() {
        return block;
    }

    /** Window last used there, or -1. */
    public int window() {
        return window;
    }

    /** Tag waited for. */
    public int tag() {
        return tag;
    }

    /** Notifications waited for. */
    public long expected() {
        return expected;
    }

    /** Notifications there at the deadline. */
    public long seen() {
        return seen;
    }
}
