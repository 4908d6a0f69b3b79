package org.pgas4j.fastpath.conduit;

import java.lang.foreign.MemorySegment;

/**
 * A host segment of this JVM.
 *
 * @param memory  it
 * @param address what others connect to
 */
public record HostSegment(MemorySegment memory, SegmentAddress address) {
}
