package org.pgas4j.os.trace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Latest events of one thread, in memory that is there from the start. Its thread writes with plain stores and publishes the
 * number of events; any thread may look meanwhile and leaves out what may have been overwritten since.
 */
final class TraceRing {

    private static final VarHandle WRITTEN;

    static {
        try {
            WRITTEN = MethodHandles.lookup().findVarHandle(TraceRing.class, "written", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int session;
    private final String name;
    private final int rank;
    private final long[] words;
    private final int mask;
    private Thread owner;
    private long written;

    /**
     * @param session  of the timeline, that rings of an earlier one are not taken for its own
     * @param capacity number of events, a power of two; one less can be read
     */
    TraceRing(int session, String name, int rank, int capacity, Thread owner) {
        if (Integer.bitCount(capacity) != 1 || capacity > Integer.MAX_VALUE / TraceRecord.WORDS) {
            throw new IllegalArgumentException("ring of " + capacity + " events (expected: a power of two, at most 2^28)");
        }
        this.session = session;
        this.name = name;
        this.rank = rank;
        this.words = new long[capacity * TraceRecord.WORDS];
        this.mask = capacity - 1;
        this.owner = owner;
    }

    int session() {
        return session;
    }

    int rank() {
        return rank;
    }

    /** Gives the ring of a thread that has ended to another of the same name and rank; false if it is another's. */
    boolean inherit(String of, int by, Thread heir) {
        if (rank != by || !name.equals(of) || owner.isAlive()) {
            return false;
        }
        owner = heir;
        return true;
    }

    /** Adds an event. The owner alone. */
    void add(long beginNs, long endNs, TraceKind kind, int nameNumber, int of, int peer, int tag, long bytes, long link) {
        long number = written;
        int at = ((int) number & mask) * TraceRecord.WORDS;
        VarHandle.storeStoreFence(); // the number before the words that overwrite: pairs with the fence in look
        TraceRecord.write(words, at, beginNs, endNs, kind, nameNumber, of, peer, tag, bytes, link);
        WRITTEN.setRelease(this, number + 1); // release: pairs with the acquire in look
    }

    /** The events that are there. Any thread. */
    TraceTrack look() {
        long end = (long) WRITTEN.getAcquire(this);
        long first = Math.max(0, end - mask);
        long[] kept = new long[(int) (end - first) * TraceRecord.WORDS];
        for (long number = first; number < end; number++) {
            System.arraycopy(words, ((int) number & mask) * TraceRecord.WORDS, kept, (int) (number - first) * TraceRecord.WORDS,
                    TraceRecord.WORDS);
        }
        VarHandle.loadLoadFence(); // the words before the number: pairs with the fence in add
        long now = (long) WRITTEN.getOpaque(this);
        long safe = Math.min(end, Math.max(first, now - mask)); // at this moment number now - capacity may be overwritten
        if (safe > first) {
            kept = Arrays.copyOfRange(kept, (int) (safe - first) * TraceRecord.WORDS, kept.length);
        }
        return new TraceTrack(name, rank, safe, kept);
    }
}
