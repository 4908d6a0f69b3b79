package org.pgas4j.launch;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.pgas4j.PgasTimeoutException;

/**
 * The threads of the program that keep a JVM alive after its main method or in its shutdown hooks: those that are still
 * there after the grace time are named, and after the job's timeout the JVM ends without them.
 */
final class LastThreads {

    private static final long POLL_MS = 50;

    private final long graceMs;
    private final Duration timeout;
    private long startNs = System.nanoTime();
    private boolean named;

    LastThreads(long graceMs, Duration timeout) {
        this.graceMs = graceMs;
        this.timeout = timeout;
    }

    /**
     * Waits until there are none.
     *
     * @param job that a thread may have ranks of: as long as it does, the program has not ended
     * @throws PgasTimeoutException if some live on; names them
     */
    void await(LaunchedJob job) {
        for (List<Thread> left = alive(); !left.isEmpty(); left = alive()) {
            pause(left.getFirst());
            if (!job.isIdle()) {
                startNs = System.nanoTime();
            }
            look(left);
        }
    }

    /**
     * Waits for the end of this JVM's shutdown hooks, which ends this JVM and so never returns. A hook that a rank's thread has
     * made is a daemon as that thread is.
     *
     * @throws PgasTimeoutException if a hook lives on
     */
    void awaitHooks() {
        while (true) {
            List<Thread> left = alive();
            LockSupport.parkNanos(POLL_MS * 1_000_000);
            look(left.isEmpty() ? threads().toList() : left);
        }
    }

    private void look(List<Thread> left) {
        long ms = (System.nanoTime() - startNs) / 1_000_000;
        if (ms >= graceMs + timeout.toMillis()) {
            throw new PgasTimeoutException("the program has ended, but not its threads " + describe(left) + " within "
                    + ms + " ms; end them, or raise pgas.timeout; threads other than shutdown hooks may be daemons");
        }
        if (!named && ms >= graceMs) {
            named = true;
            System.err.println("pgas4j: the program has ended, waiting for its threads " + describe(left));
        }
    }

    private static void pause(Thread thread) {
        try {
            thread.join(POLL_MS);
        } catch (InterruptedException _) {
            Thread.onSpinWait(); // interrupted by the program, which does not end the wait
        }
    }

    /** Threads that are no daemons, but the caller. */
    private static List<Thread> alive() {
        return threads().filter(thread -> !thread.isDaemon()).toList();
    }

    /** All threads but the caller, the runtime's and Java's own, whose daemons are in groups of their own. */
    private static Stream<Thread> threads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        ThreadGroup ofJava = root;
        Thread[] all = new Thread[2 * root.activeCount() + 16];
        return Arrays.stream(all, 0, root.enumerate(all)).filter(thread -> isOfProgram(thread, ofJava));
    }

    private static boolean isOfProgram(Thread thread, ThreadGroup ofJava) {
        if (thread == Thread.currentThread() || thread.getName().equals("DestroyJavaVM") || thread.getName().startsWith("pgas-")) {
            return false;
        }
        ThreadGroup group = thread.getThreadGroup();
        return !thread.isDaemon() || group != null && group != ofJava && !group.getName().equals("InnocuousThreadGroup");
    }

    private static String describe(List<Thread> threads) {
        return threads.stream().map(thread -> Stream.of(thread.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith("java.") && !frame.getClassName().startsWith("jdk."))
                .findFirst().map(frame -> thread.getName() + " (at " + frame + ")").orElse(thread.getName())).toList().toString();
    }
}
