package org.pgas4j.runtime.memory;

import org.pgas4j.Notifications;

/**
 * The words at the start of every rank's host segment through which ranks synchronise. One writer, or one group of
 * writers that takes turns, per line of 128 bytes (two cache lines, for the adjacent-line prefetcher).
 *
 * <pre>
 *   entered      1 line            epoch of the last barrier this rank notified, what it gave, another rank's epoch that it has
 *                                  looked up; written by the rank itself
 *   flat         2 x 8 lines       flat barrier: parity, writer
 *   nodes        8 lines           tree barrier: one node per level this rank is home to
 *   release      1 line            tree barrier: rank 0's alone is used
 *   call         4 lines           text of the collective call that this rank is in
 *   words in     levels lines      word exchange, upwards: child at distance 2^level
 *   words out    1 line            word exchange, downwards
 *   broadcast    1 line            sequence of the last block that arrived
 *   reduce in    levels lines      sequence of the chunk in scratch slot level
 *   reduce ack   1 line            sequence of the last chunk the parent has consumed
 *   notified     256 words         notifications that arrived, by tag; written by everybody, atomically
 *   values       256 words         values of notifications, by tag
 *   windows      64 x 32 bytes     windows of the team of all ranks; written by the rank itself
 *   scratch      levels x 4 KiB    partial results of the children
 * </pre>
 *
 * @param ranks of the job
 */
public record ControlArea(int ranks) {

    public static final long LINE = 128;
    public static final int FLAT_MAX = 8;
    public static final int FAN_IN = 8;
    static final int TREE_LEVELS = 8;
    public static final int SCRATCH_BYTES = 4096;

    /** Windows of a team at once. */
    public static final int WINDOWS = 64;
    /** Of one window of one rank. */
    public static final int WINDOW_ENTRY_BYTES = 32;
    /** Of a team. */
    public static final int WINDOW_TABLE_BYTES = WINDOWS * WINDOW_ENTRY_BYTES;

    public static final long CALL_BYTES = 4 * LINE;
    public static final long ENTERED = 0;
    public static final long GIVEN = ENTERED + Long.BYTES;
    public static final long LOOKED_UP = GIVEN + Long.BYTES;
    private static final long FLAT = ENTERED + LINE;
    private static final long NODES = FLAT + 2 * FLAT_MAX * LINE;
    public static final long RELEASE = NODES + TREE_LEVELS * LINE;
    public static final long CALL = RELEASE + LINE;
    private static final long WORDS_IN = CALL + CALL_BYTES;

    /** ceil(log2(ranks)), at least 1. */
    public int levels() {
        return Math.max(1, 32 - Integer.numberOfLeadingZeros(ranks - 1));
    }

    public static long flat(int parity, int writer) {
        return FLAT + (parity * (long) FLAT_MAX + writer) * LINE;
    }

    public static long node(int level) {
        return NODES + level * LINE;
    }

    public long wordsIn(int level) {
        return WORDS_IN + level * LINE;
    }

    long wordsOut() {
        return wordsIn(levels());
    }

    /** Sequence word of a broadcast. */
    public long broadcast() {
        return wordsOut() + LINE;
    }

    /** Sequence word of scratch slot {@code level}. */
    public long reduceIn(int level) {
        return broadcast() + LINE + level * LINE;
    }

    /** Acknowledgement word of a reduction. */
    public long reduceAck() {
        return reduceIn(levels());
    }

    /** Counter of the notifications of {@code tag} that arrived. */
    public long notification(int tag) {
        return reduceAck() + LINE + (long) tag * Long.BYTES;
    }

    /** Value of {@code tag}. */
    public long notificationValue(int tag) {
        return notification(Notifications.TAGS) + (long) tag * Long.BYTES;
    }

    /** Table of the windows of all ranks. */
    public long windows() {
        return notificationValue(Notifications.TAGS);
    }

    /** Scratch slot {@code level}. */
    public long scratch(int level) {
        return Math.ceilDiv(windows() + WINDOW_TABLE_BYTES, (long) SCRATCH_BYTES) * SCRATCH_BYTES + (long) level * SCRATCH_BYTES;
    }

    /** Bytes of the words of an exchange between {@link #ranks()} ranks at most. */
    public long exchangeBytes() {
        return (levels() + 1) * LINE;
    }

    /** Size of the area; the shared heap begins here. */
    public long bytes() {
        return scratch(levels());
    }
}
