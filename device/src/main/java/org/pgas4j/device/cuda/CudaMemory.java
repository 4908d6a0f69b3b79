package org.pgas4j.device.cuda;

import java.util.concurrent.atomic.AtomicBoolean;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;

/** Memory of a GPU, allocated here or mapped from another process. Thread-safe. */
final class CudaMemory implements DeviceMemory {

    private final CudaAccelerator device;
    private final long address;
    private final long bytes;
    private final boolean shareable;
    private final Runnable free;
    private final AtomicBoolean open = new AtomicBoolean(true);

    CudaMemory(CudaAccelerator device, long address, long bytes, boolean shareable, Runnable free) {
        this.device = device;
        this.address = address;
        this.bytes = bytes;
        this.shareable = shareable;
        this.free = free;
    }

    /** True if streams of {@code accelerator} count it as its memory: allocated there, or mapped there from another process. */
    boolean isOf(CudaAccelerator accelerator) {
        return device == accelerator;
    }

    boolean isShareableOn(CudaAccelerator accelerator) {
        return shareable && device == accelerator;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public long address() {
        if (!open.get()) {
            throw new DeviceException(this + " is closed");
        }
        return address;
    }

    @Override
    public boolean isOpen() {
        return open.get();
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            device.forget(this);
            device.quiet(free);
        }
    }

    @Override
    public String toString() {
        return "DeviceMemory[" + device + " " + bytes + " bytes]";
    }
}
