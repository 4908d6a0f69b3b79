package org.pgas4j.device;

import org.pgas4j.DeviceMemory;

/**
 * Page-locked host memory as kernels see it: at the same address as the host.
 *
 * @param memory of the host; closed with this view
 */
public record PinnedView(PinnedMemory memory) implements DeviceMemory {

    @Override
    public long bytes() {
        return memory.segment().byteSize();
    }

    @Override
    public long address() {
        return memory.segment().address();
    }

    @Override
    public boolean isOpen() {
        return memory.segment().scope().isAlive();
    }

    @Override
    public void close() {
        memory.close();
    }
}
