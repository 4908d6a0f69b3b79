package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;

/**
 * Memory of windows on the host device, by its offset from the start of a rank's segment: in the segment, or private memory of the
 * program, which may lie before or behind it and is not checked.
 */
final class HostPlaces {

    /** All native memory of the process; an offset is an address. */
    @SuppressWarnings("restricted")
    private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private HostPlaces() {
    }

    private static boolean isIn(MemorySegment segment, long place) {
        return place >= 0 && place < segment.byteSize();
    }

    /** The memory that contains the place, at {@link #offset}. */
    static MemorySegment memory(MemorySegment segment, long place) {
        return isIn(segment, place) ? segment : EVERYTHING;
    }

    static long offset(MemorySegment segment, long place) {
        return isIn(segment, place) ? place : segment.address() + place;
    }
}
