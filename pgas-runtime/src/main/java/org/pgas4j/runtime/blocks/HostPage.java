package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Pinned host memory that a rank's blocks write and its host reads: heads, error record, command queue, log; and the
 * mailbox, which the host writes and a block reads.
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

    /** Bytes of {@link Command#PUT_WORDS}, in words with the number of their entry; a place of each entry of the queue. */
    static final int WORDS = MAILBOX + MAILBOX_ENTRIES * COMMAND_BYTES;
    static final int WORDS_BYTES = 2 * Command.MAX_WORDS;

    static final int MAX_STAGED_BYTES = 1 << 15;
    /** Staged bytes lie in a vector of this size as at the end that a block reads or writes. */
    static final int VECTOR = 16;
    /** Behind the places of a ring: bytes that begin at the last ones are contiguous, too. */
    private static final int BEHIND = MAX_STAGED_BYTES + VECTOR;

    /**
     * Bytes of {@link Command#PUT_STAGED}. Each entry of the queue has a place of this size here, which is free when the entry
     * is; a put takes as many entries in a row as its bytes need places.
     */
    static final int STAGING = WORDS + QUEUE_ENTRIES * WORDS_BYTES;
    static final int STAGING_BYTES = 256;

    /** The same for bytes of messages in the mailbox. */
    static final int PAYLOADS = STAGING + QUEUE_ENTRIES * STAGING_BYTES + BEHIND;
    static final int PAYLOAD_BYTES = 512;

    /** Bytes that the writer's stream copies to blocks that do not read the mailbox; free when the stream has no work. */
    static final int STREAMED = PAYLOADS + MAILBOX_ENTRIES * PAYLOAD_BYTES + BEHIND;
    static final int STREAMED_BYTES = 1 << 18;
    static final int BYTES = STREAMED + STREAMED_BYTES;

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

    /** Entries of the queue that a put of so many staged bytes takes, wherever these begin in a vector. */
    static int stagedEntries(int bytes) {
        return Math.ceilDiv(bytes + VECTOR - 1, STAGING_BYTES);
    }

    /** Entries of the mailbox that a message with so many bytes in the page takes. */
    static int payloadEntries(int bytes) {
        return Math.ceilDiv(bytes + VECTOR - 1, PAYLOAD_BYTES);
    }
}
