package org.pgas4j.fastpath.conduit;

import java.lang.foreign.MemorySegment;

/**
 * Host memory of this JVM that other ranks reach over the conduit that made it.
 *
 * @param rank    rank that owns it
 * @param memory  the memory in this JVM
 * @param address address to connect to
 */
public record HostSegment(int rank, MemorySegment memory, SegmentAddress address) {
}
