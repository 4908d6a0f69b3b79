package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgas4j.device.PinnedMemory;

/** Page-locked host memory of the driver. */
final class CudaPinned implements PinnedMemory {

    private final CudaAccelerator device;
    private final long address;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final AtomicBoolean open = new AtomicBoolean(true);

    @SuppressWarnings("restricted")
    CudaPinned(CudaAccelerator device, long address, long bytes) {
        this.device = device;
        this.address = address;
        segment = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            arena.close(); // first: from here on a use of the segment throws
            device.forget(this);
            device.quiet(() -> CudaDriver.freeHost(address));
        }
    }

    @Override
    public String toString() {
        return "page-locked memory of " + segment.byteSize() + " bytes";
    }
}
