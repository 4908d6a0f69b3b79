package org.pgas4j.space.memory;

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
 *   release      1 line            tree barrier: of a node's first rank the release, the one that was handed on and the rank
 *                                  that came last; of any rank a release that it has looked up
 *   call         4 lines           text of the collective call that this rank is in
 *   words in     levels lines      word exchange, upwards: child at distance 2^level
 *   words out    1 line            word exchange, downwards
 *   exposed      1 line            memory that this rank has given to a collective operation; written by the rank itself
 *   notified     256 words         notifications that arrived, by tag; written by everybody, atomically
 *   values       256 words         values of notifications, by tag
 *   windows      64 x 32 bytes     windows of the team of all ranks; written by the rank itself
 *   slots        levels + 1 x 4 KiB  what travels with the words of an exchange, upwards by level, then downwards
 * </pre>
 *
 * @param ranks of the job
 */
public record ControlArea(int ranks) {

    public static final long LINE = 128;
    public static final int FLAT_MAX = 8;
    public static final int FAN_IN = 8;
    static final int TREE_LEVELS = 8;
    /** Of what travels with the words of an exchange between all ranks. */
    public static final int SLOT_BYTES = 4096;
    /** The same between some, whose slots are in the shared heap. */
    public static final int TEAM_SLOT_BYTES = 1024;

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
    public static final long HANDED_ON = RELEASE + Long.BYTES;
    public static final long RELEASE_ABOVE = HANDED_ON + Long.BYTES;
    public static final long LAST = RELEASE_ABOVE + Long.BYTES;
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

    /** Memory given to a collective operation. */
    public long exposed() {
        return wordsOut() + LINE;
    }

    /** Counter of the notifications of {@code tag} that arrived. */
    public long notification(int tag) {
        return exposed() + LINE + (long) tag * Long.BYTES;
    }

    /** Value of {@code tag}. */
    public long notificationValue(int tag) {
        return notification(Notifications.TAGS) + (long) tag * Long.BYTES;
    }

    /** Table of the windows of all ranks. */
    public long windows() {
        return notificationValue(Notifications.TAGS);
    }

    /** Slot of what child {@code level} sends up in an exchange; slot {@link #levels()} is for what comes down. */
    public long slot(int level) {
        return Math.ceilDiv(windows() + WINDOW_TABLE_BYTES, (long) SLOT_BYTES) * SLOT_BYTES + (long) level * SLOT_BYTES;
    }

    /** Bytes of the words of an exchange between {@link #ranks()} ranks at most. */
    public long exchangeBytes() {
        return (levels() + 1) * LINE;
    }

    /** Bytes of the slots of an exchange between some ranks, {@link #ranks()} at most. */
    public long teamSlotsBytes() {
        return (levels() + 1L) * TEAM_SLOT_BYTES;
    }

    /** Size of the area; the shared heap begins here. */
    public long bytes() {
        return slot(levels() + 1);
    }
}
