package org.pgas4j.device.host;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.pgas4j.DeviceException;
import org.pgas4j.device.StreamEvent;

/** A point in a host stream's work. Any thread may wait for it. */
final class HostEvent implements StreamEvent {

    private static final int SPINS = 200;

    private final String where;
    private final CountDownLatch passed = new CountDownLatch(1);
    private long timeNs;
    private RuntimeException failure;

    HostEvent(String where) {
        this.where = where;
    }

    /** Marks the point reached; {@code failure} is that of earlier work, or null. */
    void pass(RuntimeException failure) {
        this.failure = failure;
        timeNs = System.nanoTime();
        passed.countDown(); // release: pairs with getCount and await below
    }

    @Override
    public boolean isDone() {
        if (passed.getCount() != 0) {
            return false;
        }
        if (failure != null) {
            throw HostWorker.again(failure);
        }
        return true;
    }

    @Override
    public boolean sync(long deadlineNs) {
        for (int i = 0; i < SPINS; i++) {
            if (isDone()) {
                return true;
            }
            Thread.onSpinWait();
        }
        try {
            return passed.await(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS) && isDone();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DeviceException("interrupted while waiting for an event of " + where, e);
        }
    }

    /** Waits without a deadline: the work before the point is queued and ends. */
    void join() {
        try {
            passed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DeviceException("interrupted while waiting for an event of " + where, e);
        }
        isDone();
    }

    @Override
    public double millisSince(StreamEvent start) {
        if (!(start instanceof HostEvent from)) {
            throw new IllegalArgumentException("start: " + start + " (expected: an event of a host device)");
        }
        if (!isDone() || !from.isDone()) {
            throw new IllegalStateException("millisSince needs two events that are done: start=" + from.isDone()
                    + " end=" + isDone());
        }
        return (timeNs - from.timeNs) / 1e6;
    }

    @Override
    public void close() {
        // Holds nothing but memory of the JVM.
    }
}
