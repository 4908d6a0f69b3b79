package org.pgas4j.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Host memory between an array and a file, of one piece; made at first use. */
final class Staging implements AutoCloseable {

    /** Size of a piece; elements that are larger are pieces of their own. */
    static final long PIECE_BYTES = 4 << 20;

    private Arena arena;
    private MemorySegment memory = MemorySegment.NULL;

    /** Number of elements of a piece. */
    static long elements(long elementBytes) {
        return Math.max(1, PIECE_BYTES / elementBytes);
    }

    /** Memory of {@code bytes} bytes; what was returned before is gone. */
    MemorySegment of(long bytes) {
        if (memory.byteSize() < bytes) {
            close();
            arena = Arena.ofConfined();
            memory = arena.allocate(bytes, 64);
        }
        return memory.asSlice(0, bytes);
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
            arena = null;
            memory = MemorySegment.NULL;
        }
    }
}
