package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;

/**
 * Fields of the world data at the start of the area, in their order: the parameters of a launch, the same for all
 * blocks of a rank.
 */
enum WorldField {
    HOST_RANK(Integer.BYTES),
    HOST_RANKS(Integer.BYTES),
    PER_RANK(Integer.BYTES),
    FORCED_PROXY(Integer.BYTES),
    TIMEOUT_NS(Long.BYTES),
    SEGMENT(Long.BYTES),
    SEGMENT_BYTES(Long.BYTES),
    AREA(Long.BYTES),
    QUEUE(Long.BYTES),
    QUEUE_HEAD(Long.BYTES),
    LOG(Long.BYTES),
    LOG_HEAD(Long.BYTES),
    ERROR(Long.BYTES),
    QUEUE_ENTRIES(Integer.BYTES),
    LOG_ENTRIES(Integer.BYTES),
    WINDOWS_AT(Long.BYTES),
    /** Of all blocks. */
    WINDOWS(Integer.BYTES),
    /** Host ranks that tables have entries for, if they are not all; else 0. */
    PARTNERS(Integer.BYTES),
    BLOCKS_AT(Long.BYTES),
    BLOCK_BYTES(Long.BYTES),
    FIRST_COUNT(Long.BYTES),
    /** 0 if the host brings the blocks nothing. */
    MAILBOX(Long.BYTES),
    MAILBOX_TAKEN(Long.BYTES),
    /** 1 if the device has atomic operations in all memory that it reaches. */
    ATOMICS(Long.BYTES),
    /** Longest payload of a notified put that travels as packets; 0 if none does. */
    PACKET_BYTES(Integer.BYTES),
    /** Logarithm of the packets of a ring. */
    RING_SHIFT(Integer.BYTES),
    /** Rings of packets of a block. */
    RINGS(Long.BYTES),
    RINGS_AT(Long.BYTES),
    COUNTS_AT(Long.BYTES),
    /** 1 if some rank of the job does not reach another's device by its own. */
    THROUGH_HOST(Long.BYTES),
    /** 1 if windows of all blocks may lie over private memory: all use the same addresses. */
    PRIVATE_WINDOWS(Long.BYTES),
    /** Table of {@link BlockRegions}, with the next two. */
    REGIONS(Long.BYTES),
    REGION_COUNT(Long.BYTES),
    /** Places behind it are not the same for all ranks: no message carries them. */
    COMMON_END(Long.BYTES),
    GRID_X(Integer.BYTES),
    GRID_Y(Integer.BYTES),
    GRID_Z(Integer.BYTES),
    BLOCK_X(Integer.BYTES),
    BLOCK_Y(Integer.BYTES),
    BLOCK_Z(Integer.BYTES);

    private final int bytes;

    WorldField(int bytes) {
        this.bytes = bytes;
    }

    /** Offset in the area. */
    int offset() {
        int offset = 0;
        for (WorldField field : values()) {
            if (field == this) {
                return offset;
            }
            offset += field.bytes;
        }
        throw new AssertionError(this);
    }

    int bytes() {
        return bytes;
    }

    /** Name in the device library. */
    String cudaName() {
        return name().toLowerCase(Locale.ROOT);
    }

    void set(MemorySegment area, long value) {
        if (bytes == Integer.BYTES) {
            area.set(ValueLayout.JAVA_INT, offset(), Math.toIntExact(value));
        } else {
            area.set(ValueLayout.JAVA_LONG, offset(), value);
        }
    }
}
