package org.pgas4j.device;

import java.lang.foreign.MemorySegment;

/** Host memory that programs give to streams: of any arena, which may be of one thread and may be closed too early. */
public final class HostBuffers {

    private static final Thread NOBODY = Thread.ofPlatform().name("nobody").unstarted(() -> {
    });

    private HostBuffers() {
    }

    /** True if one thread alone may use the memory: no stream's thread can copy it, and only that thread can close it. */
    public static boolean isConfined(MemorySegment buffer) {
        return !buffer.isAccessibleBy(NOBODY);
    }

    /**
     * The same memory, which is open.
     *
     * @param what is to be done with it, for the message
     * @throws IllegalStateException if its arena is closed
     */
    public static MemorySegment requireOpen(MemorySegment buffer, String what) {
        if (!buffer.scope().isAlive()) {
            throw new IllegalStateException(what + ": " + closed(buffer.byteSize()));
        }
        return buffer;
    }

    /** Says that memory was closed too early. */
    public static String closed(long bytes) {
        return "the arena of the host memory, " + bytes + " bytes, is closed; it must stay open until the work is done, after"
                + " sync() of the stream or the handle";
    }
}
