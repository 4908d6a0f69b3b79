package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Pinned host memory that a rank's blocks write and its host reads: heads, error record, command queue with the bytes
 * of staged puts, log; and the mailbox with its payloads, which the host writes and a block reads.
 */
record HostPage(MemorySegment memory) {

    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    /**
     * Entries of the queue that the host has taken, and from bit {@link #SLOT_SHIFT} on the slots of {@link #STAGING}
     * that it has freed.
     */
    static final int QUEUE_HEAD = 0;
    static final int SLOT_SHIFT = 48;
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
    /** Number of the last copy of {@link #PAYLOADS} that the writer's stream is known to have done. */
    static final int PAYLOADS_COPIED = 320;
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

    static final int MAX_STAGED_BYTES = 1 << 15;
    /** Bytes of staged puts of blocks, in slots of equal size that are claimed with the entry of their command. */
    static final int STAGING_BYTES = 1 << 20;
    /** Staged bytes lie in a vector of this size as at the end that a block reads or writes. */
    static final int VECTOR = 16;
    static final int STAGING = MAILBOX + MAILBOX_ENTRIES * COMMAND_BYTES;
    /**
     * Bytes of messages that are too long for the mailbox, and of small puts by the writer's stream; the last may end
     * behind it.
     */
    static final int PAYLOADS_BYTES = 1 << 18;
    static final int PAYLOADS = STAGING + STAGING_BYTES;
    static final int BYTES = PAYLOADS + PAYLOADS_BYTES + MAX_STAGED_BYTES + 64;

    static HostPage of(MemorySegment pinned) {
        pinned.fill((byte) 0);
        return new HostPage(pinned);
    }

    long get(long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    void set(long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /**
     * Number of slots for staged puts of up to so many bytes: a power of two, so that the claims of all blocks may wrap
     * around.
     */
    static int stagingSlots(int stagedBytes) {
        return Integer.highestOneBit(STAGING_BYTES / (Math.max(stagedBytes, Command.MAX_INLINE) + VECTOR));
    }

    /** Place of a slot. */
    static long staging(long slot, int slots) {
        return STAGING + slot % slots * (STAGING_BYTES / slots);
    }
}
