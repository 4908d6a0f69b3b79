package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Pinned host memory that a rank's blocks write and its host reads: heads, error record, command queue, log, bytes of puts beside
 * the queue; and the mailbox with the same beside it, which the host writes and a block reads. The bytes beside both are its end,
 * which only pages have whose blocks reach some rank through the host.
 */
record HostPage(MemorySegment memory) {

    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    static final int QUEUE_HEAD = 0;
    static final int LOG_HEAD = 64;
    static final int LOG_DROPPED = 72;
    static final int DONE = 128;
    static final int BEGUN = 136;

    /** Kind of the first failure, written last; {@link BlockFailure} describes the words behind it. */
    static final int ERROR = 192;
    static final int ERROR_BLOCK = ERROR + 8;
    static final int ERROR_WINDOW = ERROR + 16;
    static final int ERROR_TAG = ERROR + 24;
    static final int ERROR_EXPECTED = ERROR + 32;
    static final int ERROR_SEEN = ERROR + 40;
    static final int ERROR_DETAIL = ERROR + 48;
    static final int ERROR_MISSING = ERROR + 56;

    static final int MAILBOX_TAKEN = 256;
    /** Places beside the queue that are free again: all before this number. */
    static final int STAGED_FREED = 320;
    static final int QUEUE_ENTRIES = 4096;
    static final int COMMAND_BYTES = 64;

    // a line of the log: its number plus one, written last; length and block; number and types of values (LogFormat); values;
    // text
    static final int LOG_ENTRIES = 1024;
    static final int LOG_BYTES = 256;
    static final int LOG_LENGTH_BLOCK = 8;
    static final int LOG_TYPES = 16;
    static final int LOG_VALUES = 24;
    static final int MAX_LOG_VALUES = 8;
    static final int LOG_TEXT = LOG_VALUES + MAX_LOG_VALUES * 8;
    static final int MAX_LOG_TEXT = LOG_BYTES - LOG_TEXT;

    static final int QUEUE = 4096;
    static final int LOG = QUEUE + QUEUE_ENTRIES * COMMAND_BYTES;
    static final int MAILBOX_ENTRIES = 1024;
    static final int MAILBOX = LOG + LOG_ENTRIES * LOG_BYTES;

    // Bytes of puts beside the queue and beside the mailbox, in places that are used round and round, each as far behind a multiple
    // of STAGED_ALIGNMENT as the place that the bytes go to.
    static final int STAGED_PLACES = 64;
    static final int MAX_STAGED = 8192;
    static final int STAGED_ALIGNMENT = 16;
    static final int STAGED_STRIDE = MAX_STAGED + 64;
    static final int STAGED = MAILBOX + MAILBOX_ENTRIES * COMMAND_BYTES;
    static final int MAILBOX_STAGED = STAGED + STAGED_PLACES * STAGED_STRIDE;
    static final int BYTES = MAILBOX_STAGED + STAGED_PLACES * STAGED_STRIDE;

    /** @param throughHost whether blocks reach some rank through the host */
    static long bytes(boolean throughHost) {
        return throughHost ? BYTES : STAGED;
    }

    static HostPage of(MemorySegment pinned) {
        pinned.asSlice(0, STAGED).fill((byte) 0);
        return new HostPage(pinned);
    }

    /** Index of the place with a number. */
    static int stagedIndex(long place) {
        return (int) (place % STAGED_PLACES);
    }

    /** Offset of the bytes of a put to {@code offset} beside the queue. */
    static long staged(long place, long offset) {
        return STAGED + (long) stagedIndex(place) * STAGED_STRIDE + Math.floorMod(offset, (long) STAGED_ALIGNMENT);
    }

    /** The same beside the mailbox. */
    static long stagedForMailbox(long place, long offset) {
        return MAILBOX_STAGED - STAGED + staged(place, offset);
    }

    long get(long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    void set(long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }
}
