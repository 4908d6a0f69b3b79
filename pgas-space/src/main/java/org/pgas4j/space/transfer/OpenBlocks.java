package org.pgas4j.space.transfer;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Lease;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.StalePointerException;

/** Blocks of device memory before they are used. */
public final class OpenBlocks {

    private OpenBlocks() {
    }

    /**
     * The memory of a block.
     *
     * @param what uses it, for the message
     * @throws DeviceException       if it is closed
     * @throws StalePointerException if it was shared and is freed
     */
    public static DeviceMemory require(String what, int rank, Buffer block) {
        DeviceMemory memory = block.deviceMemory();
        if (!memory.isOpen()) {
            throw new DeviceException(what + " of rank " + rank + ": the device memory of " + block + " is closed");
        }
        Lease lease = PgasUnsafe.lease(block);
        if (lease != null && !lease.isLive()) {
            throw Bounds.stale(what, rank, block, lease);
        }
        return memory;
    }
}
