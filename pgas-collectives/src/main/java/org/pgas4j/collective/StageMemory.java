package org.pgas4j.collective;

import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;

/** Memory at the same place of every rank's shared heap, allocated and freed by one rank. */
public interface StageMemory {

    /** Allocates {@code bytes} bytes on every rank; null if there is no room. */
    SharedPointer allocate(MemoryKind kind, long bytes);

    void free(SharedPointer memory);
}
