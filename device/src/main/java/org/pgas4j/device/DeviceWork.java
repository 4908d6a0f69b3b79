package org.pgas4j.device;

/** Work that a device does while the host goes on: all of a stream, or up to a point in it. */
@FunctionalInterface
public interface DeviceWork {

    /**
     * Waits until the work is done, at most until {@link System#nanoTime()} reaches {@code deadlineNs}.
     *
     * @return false if the deadline passed first
     * @throws org.pgas4j.DeviceException if it failed
     */
    boolean sync(long deadlineNs);
}
