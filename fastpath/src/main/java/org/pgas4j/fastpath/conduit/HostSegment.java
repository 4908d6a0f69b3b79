package org.pgas4j.fastpath.conduit;

import java.lang.foreign.MemorySegment;

/**
 * Host memory of this JVM that other ranks reach over the conduit that made it.
 *
 * @param rank    whose it is
 * @param memory  it
 * @param address what others connect to
 */
public record HostSegment(int rank, MemorySegment memory, SegmentAddress address) {
}
