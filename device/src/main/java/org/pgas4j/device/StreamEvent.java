package org.pgas4j.device;

/** A point in a stream. */
public interface StreamEvent extends AutoCloseable {

    /** True once everything before the point is done. */
    boolean isDone();

    /** Waits as {@link AcceleratorStream#sync(long)}, for the work before the point. */
    boolean sync(long deadlineNs);

    /** Milliseconds from {@code start} to this, on the device's clock; both must be done. */
    double millisSince(StreamEvent start);

    @Override
    void close();
}
