package org.pgas4j.space.transfer;

import org.pgas4j.Handle;

/** The handle of a transfer whose completion is reported, once. Used by the rank's thread. */
final class ReportingHandle implements Handle {

    private final Handle handle;
    private final Runnable completed;
    private boolean reported;

    ReportingHandle(Handle handle, Runnable completed) {
        this.handle = handle;
        this.completed = completed;
    }

    boolean isReported() {
        return reported;
    }

    /** Reports a transfer that is complete. */
    void report() {
        if (!reported) {
            reported = true;
            completed.run();
        }
    }

    @Override
    public void sync() {
        handle.sync();
        report();
    }

    @Override
    public boolean trySync() {
        if (!handle.trySync()) {
            return false;
        }
        report();
        return true;
    }
}
