package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Pinned host memory that a rank's blocks write and its host reads: heads, error record, command queue, log; and the post, which
 * the host writes and a block reads.
 */
record HostPage(MemorySegment memory) {

    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    static final int QUEUE_HEAD = 0;
    static final int LOG_HEAD = 64;
    static final int LOG_DROPPED = 72;
    static final int DONE = 128;
    static final int BEGUN = 136;
    static final int ERROR = 192;
    static final int POST_TAKEN = 256;
    static final int QUEUE_ENTRIES = 4096;
    static final int COMMAND_BYTES = 64;
    static final int LOG_ENTRIES = 1024;
    static final int LOG_BYTES = 128;
    static final int QUEUE = 4096;
    static final int LOG = QUEUE + QUEUE_ENTRIES * COMMAND_BYTES;
    static final int POST_ENTRIES = 1024;
    static final int POST = LOG + LOG_ENTRIES * LOG_BYTES;
    static final int BYTES = POST + POST_ENTRIES * COMMAND_BYTES;

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
}
