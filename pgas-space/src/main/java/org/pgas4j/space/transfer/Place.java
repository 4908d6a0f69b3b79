package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;

/**
 * A byte of memory that this rank, or its device, addresses.
 *
 * @param host   memory of a host, or null
 * @param device memory of a device, or null
 * @param offset bytes from the start of it
 */
record Place(MemorySegment host, DeviceMemory device, long offset) {

    /** Two sides of a copy. */
    record Pair(Place to, Place from) {
    }

    /** The start of a buffer of rank {@code rank}. */
    static Place of(String operation, int rank, Buffer buffer) {
        return buffer.kind() == MemoryKind.HOST ? new Place(buffer.segment(), null, 0)
                : new Place(null, OpenBlocks.require(operation, rank, buffer), buffer.deviceOffset());
    }

    /** True in memory of a host. */
    boolean isHost() {
        return host != null;
    }

    /** The place {@code bytes} bytes further. */
    Place plus(long bytes) {
        return new Place(host, device, offset + bytes);
    }
}
