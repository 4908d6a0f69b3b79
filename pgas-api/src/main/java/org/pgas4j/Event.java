package org.pgas4j;

/** A point in a stream's work, recorded by {@link Stream#record()}. */
public interface Event extends AutoCloseable {

    /** True once all work before the point is done. */
    boolean isDone();

    /**
     * Waits until all work before the point is done.
     *
     * @throws PgasTimeoutException if the job's timeout passes first
     */
    void sync();

    /**
     * Milliseconds from {@code start} to this event on the device's clock; both must be done.
     */
    double millisSince(Event start);

    @Override
    void close();
}
