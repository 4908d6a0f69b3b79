package org.pgas4j.space.sync;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;

/**
 * The collective calls that ranks are in, as text with their lines, in each rank's control area: for the messages of others. A
 * rank writes its own in a wait that has become long, or when it has found that calls differ; in others nothing is spent on it.
 */
final class CallTexts {

    private static final long WAIT_NS = 1_000_000_000L;
    private static final int MAX_BYTES = (int) ControlArea.CALL_BYTES - 2 * Long.BYTES;
    private static final long MARK = ControlArea.CALL;
    private static final long LENGTH = MARK + Long.BYTES;
    private static final long TEXT = LENGTH + Long.BYTES;

    private final Peers peers;
    private final Waiter waiter;
    private final Endpoint own;

    CallTexts(int rank, Peers peers, Waiter waiter) {
        this.peers = peers;
        this.waiter = waiter;
        this.own = peers.get(rank).endpoint();
    }

    /**
     * Writes this rank's call, with the line of the program that makes it.
     *
     * @param mark says which of its calls it is; not 0
     */
    void write(long mark, String call) {
        byte[] text = (call + " at " + CallSite.find()).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_BYTES);
        MemorySegment words = MemorySegment.ofArray(Arrays.copyOf(text, MAX_BYTES));
        own.putWordRelease(MARK, 0);
        own.putWordRelease(LENGTH, length);
        for (int at = 0; at < length; at += Long.BYTES) {
            own.putWordRelease(TEXT + at, words.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
        }
        own.putWordRelease(MARK, mark);
    }

    /** Text that a rank writes with {@code mark}; {@code otherwise} if it has not within a second. */
    String read(int rank, long mark, String otherwise) {
        Endpoint from = peers.get(rank).endpoint();
        long endNs = System.nanoTime() + WAIT_NS;
        waiter.beginUnlimited();
        while (from.getWordAcquire(MARK) != mark) {
            if (System.nanoTime() - endNs > 0) {
                return otherwise;
            }
            waiter.pause(() -> "the call of rank " + rank);
        }
        int length = Math.clamp(from.getWordAcquire(LENGTH), 0, MAX_BYTES);
        MemorySegment words = MemorySegment.ofArray(new byte[MAX_BYTES]);
        for (int at = 0; at < length; at += Long.BYTES) {
            words.set(ValueLayout.JAVA_LONG_UNALIGNED, at, from.getWordAcquire(TEXT + at));
        }
        return new String(words.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    static CollectiveMismatchException mismatch(int one, String call, int other, String otherCall) {
        String mine = "rank " + one + ": " + call;
        String theirs = "rank " + other + ": " + otherCall;
        return new CollectiveMismatchException("the collective calls of the ranks differ; "
                + (one < other ? mine + "; " + theirs : theirs + "; " + mine));
    }
}
