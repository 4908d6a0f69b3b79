package org.pgas4j.device.cuda;

import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUevent;
import org.pgas4j.DeviceException;
import org.pgas4j.device.StreamEvent;

/** A point in a CUDA stream's work. Any thread may query it and wait for it. */
final class CudaEvent implements StreamEvent, CudaWait.Condition {

    private final CudaAccelerator device;
    private final CUevent event;
    private final boolean behindAWait;
    private final AtomicBoolean open = new AtomicBoolean(true);

    /** @param behindAWait whether work before it may wait for others */
    CudaEvent(CudaAccelerator device, CUevent event, boolean behindAWait) {
        this.device = device;
        this.event = event;
        this.behindAWait = behindAWait;
    }

    boolean isBehindAWait() {
        return behindAWait;
    }

    /** @throws DeviceException if it is closed */
    CUevent event() {
        if (!open.get()) {
            throw new DeviceException(this + " is closed");
        }
        return event;
    }

    @Override
    public boolean isDone() {
        return CudaDriver.isDone(event());
    }

    @Override
    public boolean sync(long deadlineNs) {
        return CudaWait.await(this, deadlineNs);
    }

    @Override
    public double millisSince(StreamEvent start) {
        if (!(start instanceof CudaEvent from)) {
            throw new IllegalArgumentException("start: " + start + " (expected: an event of a CUDA device)");
        }
        if (!isDone() || !from.isDone()) {
            throw new IllegalStateException("millisSince needs two events that are done: start=" + from.isDone()
                    + " end=" + isDone());
        }
        return CudaDriver.millisBetween(from.event(), event());
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            device.bound(() -> CudaDriver.destroyEvent(event));
        }
    }

    @Override
    public String toString() {
        return "event of " + device;
    }
}
