package org.pgas4j.device;

/** A point in a stream. */
public interface StreamEvent extends DeviceWork, AutoCloseable {

    /** True once everything before the point is done. */
    boolean isDone();

    /** {@inheritDoc} That is everything before the point. */
    @Override
    boolean sync(long deadlineNs);

    /** Milliseconds from {@code start} to this, on the device's clock; both must be done. */
    double millisSince(StreamEvent start);

    @Override
    void close();
}
