package org.pgas4j.device;

import java.util.concurrent.locks.LockSupport;
import org.pgas4j.DeviceException;

/** A point in a {@link RunAheadStream}, which may not have been handed over to the device yet. Thread-safe. */
final class RunAheadEvent implements StreamEvent {

    private static final long SLICE_NS = 100_000;

    private final RunAheadStream stream;
    private StreamEvent event;
    private int holders;
    private boolean closed;

    RunAheadEvent(RunAheadStream stream) {
        this.stream = stream;
    }

    RunAheadStream stream() {
        return stream;
    }

    synchronized void requireOpen() {
        if (closed) {
            throw new DeviceException("event of " + stream + " is closed");
        }
    }

    /** Sets the device's event, once the point is handed over. */
    synchronized void recorded(StreamEvent known) {
        event = known;
        closeIfUnused();
    }

    synchronized boolean isRecorded() {
        return event != null;
    }

    /** Keeps the event usable for a stream that will wait for it, even if it is closed meanwhile. */
    synchronized void retain() {
        holders++;
    }

    /** Undoes one {@link #retain}. */
    synchronized void release() {
        holders--;
        closeIfUnused();
    }

    /** Makes later work of {@code later} start after it; it must be recorded. */
    synchronized void join(AcceleratorStream later) {
        later.await(event);
    }

    private StreamEvent known() {
        requireOpen();
        if (!isRecorded()) {
            stream.handOver();
        }
        synchronized (this) {
            return event;
        }
    }

    @Override
    public boolean isDone() {
        StreamEvent known = known();
        return known != null && known.isDone();
    }

    @Override
    public boolean sync(long deadlineNs) {
        StreamEvent known = known();
        while (known == null) {
            long nowNs = System.nanoTime();
            if (deadlineNs - nowNs <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, Math.min(SLICE_NS, deadlineNs - nowNs));
            if (Thread.currentThread().isInterrupted()) {
                throw new DeviceException("interrupted while waiting for an event of " + stream);
            }
            known = known();
        }
        return known.sync(deadlineNs);
    }

    @Override
    public double millisSince(StreamEvent start) {
        if (!(start instanceof RunAheadEvent from)) {
            throw new IllegalArgumentException("start: " + start + " (expected: an event of a device of the same kind)");
        }
        StreamEvent end = known();
        StreamEvent begin = from.known();
        if (end == null || begin == null) {
            throw new IllegalStateException("millisSince needs two events that are done: start=" + (begin != null)
                    + " end=" + (end != null));
        }
        return end.millisSince(begin);
    }

    @Override
    public synchronized void close() {
        closed = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (closed && holders == 0 && event != null) {
            event.close();
            event = null;
        }
    }

    @Override
    public String toString() {
        return "event of " + stream;
    }
}
