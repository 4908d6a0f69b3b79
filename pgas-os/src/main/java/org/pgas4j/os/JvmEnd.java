package org.pgas4j.os;

import java.util.concurrent.TimeUnit;

/**
 * End of a JVM that waits for native calls. Exit handlers of a native library take away what its calls on other threads use, at
 * {@link System#exit} and {@link Runtime#halt} alike; a compiler that runs then crashes the JVM, and its exit code is lost.
 * Thread-safe.
 */
public final class JvmEnd {

    private static final long LONGEST_MS = 2_000;
    private static final JvmEnd INSTANCE = new JvmEnd(LONGEST_MS);

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(INSTANCE::awaitCalls, "pgas-calls"));
        } catch (IllegalStateException _) {
            INSTANCE.awaitCalls(); // this JVM is ending: no call begins
        }
    }

    private final long longestMs;
    private int calls;
    private boolean begun;

    JvmEnd(long longestMs) {
        this.longestMs = longestMs;
    }

    /** The end of this JVM. */
    public static JvmEnd get() {
        return INSTANCE;
    }

    /** Ends this JVM without shutdown hooks, after native calls that run have returned or two seconds. */
    public static void halt(int code) {
        INSTANCE.awaitCalls();
        Runtime.getRuntime().halt(code);
    }

    /**
     * Begins a native call that the end waits for; {@link #endCall} ends it.
     *
     * @throws IllegalStateException if the JVM is ending
     */
    public synchronized void beginCall() {
        if (begun) {
            throw new IllegalStateException("this JVM is ending");
        }
        calls++;
    }

    /** Ends a native call. */
    public synchronized void endCall() {
        calls--;
        notifyAll();
    }

    /** Lets no more calls begin, and waits for those that run; at most for the time given. */
    public synchronized void awaitCalls() {
        begun = true;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(longestMs);
        try {
            for (long left; calls > 0 && (left = end - System.nanoTime()) > 0;) {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // then at once
        }
    }
}
