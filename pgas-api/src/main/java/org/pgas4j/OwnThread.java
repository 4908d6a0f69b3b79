package org.pgas4j;

/** Check that a rank's objects are used by its own thread. For runtimes. */
public final class OwnThread {

    private OwnThread() {
    }

    /**
     * Refuses the calling thread if it is not {@code thread}, which lives: after the job a rank's objects are stale in every
     * thread, which their own checks report.
     *
     * @param what   object or call of the rank, for the error
     * @param advice end of the error, or empty
     * @throws IllegalStateException if the caller is refused
     */
    public static void require(Thread thread, int rank, Object what, String advice) {
        if (Thread.currentThread() != thread && thread.isAlive()) {
            throw refused(thread, rank, what, advice);
        }
    }

    /** Error of {@link #require}. */
    public static IllegalStateException refused(Thread thread, int rank, Object what, String advice) {
        return new IllegalStateException(what + " of rank " + rank + " in thread " + Thread.currentThread().getName()
                + ": for the rank's own thread, " + thread.getName() + ", only" + advice);
    }
}
