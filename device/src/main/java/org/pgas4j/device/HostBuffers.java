package org.pgas4j.device;

import java.lang.foreign.MemorySegment;

/** Checks of host memory that programs pass to streams: its arena may be confined to a thread, or closed too early. */
public final class HostBuffers {

    private static final Thread NOBODY = Thread.ofPlatform().name("nobody").unstarted(() -> {
    });

    private HostBuffers() {
    }

    /**
     * True if only one thread may use the memory: no stream's thread can copy it, and only that thread can close it.
     */
    public static boolean isConfined(MemorySegment buffer) {
        return !buffer.isAccessibleBy(NOBODY);
    }

    /**
     * Returns the same memory if it is open.
     *
     * @param what names the operation in the message
     * @throws IllegalStateException if its arena is closed
     */
    public static MemorySegment requireOpen(MemorySegment buffer, String what) {
        if (!buffer.scope().isAlive()) {
            throw new IllegalStateException(what + ": " + closed(buffer.byteSize()));
        }
        return buffer;
    }

    /** Message for memory that was closed too early. */
    public static String closed(long bytes) {
        return "the arena of the host memory, " + bytes + " bytes, is closed; it must stay open until the work is done, after"
                + " sync() of the stream or the handle";
    }
}
