package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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

    /** Shifts of registered memory for each host rank; null if no range that the rank has registered has all of it. */
    static MemorySegment shifts(HostBlock.World world, MemorySegment base) {
        MemorySegment own = world.ownSegment();
        long record = BlockLayout.REGION_SHIFTS + (long) world.layout().hostRanks() * Long.BYTES;
        long count = own.get(ValueLayout.JAVA_LONG, world.area() + WorldField.REGION_COUNT.offset());
        long at = own.get(ValueLayout.JAVA_LONG, world.area() + WorldField.REGIONS.offset());
        for (long i = 0; i < count; i++, at += record) {
            long offset = base.address() - EVERYTHING.get(ValueLayout.JAVA_LONG, at + BlockLayout.REGION_BASE);
            long bytes = EVERYTHING.get(ValueLayout.JAVA_LONG, at + BlockLayout.REGION_BYTES);
            if (offset >= 0 && base.byteSize() <= bytes - offset) {
                return EVERYTHING.asSlice(at + BlockLayout.REGION_SHIFTS, record - BlockLayout.REGION_SHIFTS);
            }
        }
        return null;
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
