package org.pgas4j.space.sync;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The parks of a rank that others end. The rank shows that it is about to park, looks once more at what it waits for, and
 * parks; another writes, runs a full fence, and wakes. One of the two then sees the other: Dekker's handshake.
 */
public final class Parker {

    private volatile Thread parked;

    /** Shows that the rank does not park; the rank's thread. */
    public void clear() {
        if (parked != null) {
            parked = null;
        }
    }

    /**
     * Shows that the rank is about to park, or parks if that was shown before: between the two calls the rank looks once
     * more at what it waits for. The rank's thread.
     *
     * @param ns longest park, nanoseconds
     */
    public void showOrPark(long ns) {
        if (parked == null) {
            parked = Thread.currentThread();
            VarHandle.fullFence();
        } else {
            LockSupport.parkNanos(ns);
        }
    }

    /**
     * Ends a park; any thread, after what it wrote and a full fence.
     *
     * @return true if the rank is parked or about to be
     */
    public boolean wake() {
        Thread thread = parked;
        if (thread == null) {
            return false;
        }
        LockSupport.unpark(thread);
        return true;
    }
}
