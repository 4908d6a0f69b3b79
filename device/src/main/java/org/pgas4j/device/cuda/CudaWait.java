package org.pgas4j.device.cuda;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.DeviceException;

/**
 * Waits by polling the driver: at first without a pause, so that small copies end as early as possible, then yielding
 * to other threads, then sleeping. The driver's own waits have no deadline.
 */
final class CudaWait {

    /** Condition of a wait. */
    interface Condition {

        /** True once there is nothing to wait for. */
        boolean isDone();

        /** The waiting thread has slept: {@link #isDone} may take longer for once. */
        default void slept() {
            // it always takes as long
        }
    }

    /** Number of polls, of up to half a microsecond each, which seldom read the clock. */
    private static final int POLLS = 256;
    private static final int POLLS_BETWEEN_LOOKS = 16;
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long YIELD_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private CudaWait() {
    }

    /** Waits until {@code condition} is done; false if {@link System#nanoTime()} reaches {@code deadlineNs} first. */
    static boolean await(Condition condition, long deadlineNs) {
        for (int i = 0; i < POLLS; i++) {
            if (condition.isDone()) {
                return true;
            }
            if (i % POLLS_BETWEEN_LOOKS == POLLS_BETWEEN_LOOKS - 1 && deadlineNs - System.nanoTime() <= 0) {
                return false; // there is something to do between two short waits
            }
        }
        return awaitSlowPath(condition, deadlineNs);
    }

    private static boolean awaitSlowPath(Condition condition, long deadlineNs) {
        long startNs = System.nanoTime();
        while (!condition.isDone()) {
            long nowNs = System.nanoTime();
            if (deadlineNs - nowNs <= 0) {
                return false;
            }
            long waitedNs = nowNs - startNs;
            if (waitedNs < SPIN_NS) {
                Thread.onSpinWait();
            } else if (waitedNs < YIELD_NS) {
                Thread.yield();
            } else if (Thread.currentThread().isInterrupted()) {
                throw new DeviceException("interrupted while waiting for " + condition);
            } else {
                LockSupport.parkNanos(condition, Math.min(PARK_NS, deadlineNs - nowNs));
                condition.slept();
            }
        }
        return true;
    }
}
