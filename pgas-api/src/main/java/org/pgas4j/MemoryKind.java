package org.pgas4j;

/** Where memory is: in the host's memory or in the memory of the GPU a rank is bound to. */
public enum MemoryKind {
    HOST,
    DEVICE
}
