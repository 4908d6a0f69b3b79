package org.pgas4j.device.cuda;

import java.util.concurrent.atomic.AtomicBoolean;
import org.pgas4j.device.HostRegistration;

/** Host memory that the driver has page-locked. */
final class CudaRegistration implements HostRegistration {

    /** Registration of memory that could not be registered. */
    static final CudaRegistration NONE = new CudaRegistration(null, 0);

    private final CudaAccelerator device;
    private final long address;
    private final AtomicBoolean open;

    CudaRegistration(CudaAccelerator device, long address) {
        this.device = device;
        this.address = address;
        open = new AtomicBoolean(device != null);
    }

    @Override
    public boolean effective() {
        return open.get();
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            device.forget(this);
            device.quiet(() -> CudaDriver.unregisterHost(address));
        }
    }

    @Override
    public String toString() {
        return "registration of host memory at 0x" + Long.toHexString(address);
    }
}
