package org.pgas4j.os.trace;

/**
 * Layout of an event in a ring and in files: six words.
 *
 * <pre>
 *   0 begin, System.nanoTime() | 1 end | 2 kind:8 name:24 rank:32 | 3 peer:32 tag:32 | 4 bytes | 5 link
 * </pre>
 *
 * The fields of word 2 and 3 are given from their lowest bits on. Peer, tag, bytes and link depend on the {@link TraceKind}.
 */
public final class TraceRecord {

    /** Words of an event. */
    public static final int WORDS = 6;

    private static final int BEGIN = 0;
    private static final int END = 1;
    private static final int WHAT = 2;
    private static final int WHERE = 3;
    private static final int BYTES = 4;
    private static final int LINK = 5;
    private static final int MAX_NAME = (1 << 24) - 1;
    private static final int NAME_SHIFT = 8;
    private static final int HIGH = 32;

    private TraceRecord() {
    }

    /**
     * Writes an event.
     *
     * @param at   of its first word
     * @param name number of its name, below 2^24
     */
    public static void write(long[] words, int at, long beginNs, long endNs, TraceKind kind, int name, int rank, int peer,
                             int tag, long bytes, long link) {
        words[at + BEGIN] = beginNs;
        words[at + END] = endNs;
        words[at + WHAT] = kind.code() | (long) name << NAME_SHIFT | (long) rank << HIGH;
        words[at + WHERE] = peer & 0xffffffffL | (long) tag << HIGH;
        words[at + BYTES] = bytes;
        words[at + LINK] = link;
    }

    /** Time of the begin, by the clock of the host. */
    public static long beginNs(long[] words, int at) {
        return words[at + BEGIN];
    }

    /** Time of the end. */
    public static long endNs(long[] words, int at) {
        return words[at + END];
    }

    /** Kind of the event. */
    public static TraceKind kind(long[] words, int at) {
        return TraceKind.of((int) words[at + WHAT] & 0xff);
    }

    /** Number of its name. */
    public static int name(long[] words, int at) {
        return (int) (words[at + WHAT] >>> NAME_SHIFT) & MAX_NAME;
    }

    /** Rank that it belongs to; -1 if none. */
    public static int rank(long[] words, int at) {
        return (int) (words[at + WHAT] >> HIGH);
    }

    /** The other rank. */
    public static int peer(long[] words, int at) {
        return (int) words[at + WHERE];
    }

    /** Tag or block. */
    public static int tag(long[] words, int at) {
        return (int) (words[at + WHERE] >> HIGH);
    }

    /** Bytes, or a count. */
    public static long bytes(long[] words, int at) {
        return words[at + BYTES];
    }

    /** Number that joins it to other events. */
    public static long link(long[] words, int at) {
        return words[at + LINK];
    }
}
