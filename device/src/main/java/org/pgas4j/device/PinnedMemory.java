package org.pgas4j.device;

import java.lang.foreign.MemorySegment;

/** Page-locked host memory. */
public interface PinnedMemory extends AutoCloseable {

    /** The memory; usable until closed. */
    MemorySegment segment();

    @Override
    void close();
}
