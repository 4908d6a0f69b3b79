package org.pgas4j.launch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    LastThreads(long graceMs, Duration timeout) {
        this.graceMs = graceMs;
        this.timeout = timeout;
    }

    /**
     * Waits until there are none.
     *
     * @param job that a thread may have ranks of: as long as it does, the program has not ended; null if that is over
     * @throws PgasTimeoutException if some live on; names them
     */
    void await(LaunchedJob job) {
        long startNs = System.nanoTime();
        boolean named = false;
        for (List<Thread> left = alive(); !left.isEmpty(); left = alive()) {
            pause(left.getFirst());
            if (job != null && !job.isIdle()) {
                startNs = System.nanoTime();
            }
            long ms = (System.nanoTime() - startNs) / 1_000_000;
            if (ms >= graceMs + timeout.toMillis()) {
                throw new PgasTimeoutException("the program has ended, but not its threads " + describe(left) + " within "
                        + ms + " ms; end them, make them daemons, or raise pgas.timeout");
            }
            if (!named && ms >= graceMs) {
                named = true;
                System.err.println("pgas4j: the program has ended, waiting for its threads " + describe(left));
            }
        }
    }

    private static void pause(Thread thread) {
        try {
            thread.join(POLL_MS);
        } catch (InterruptedException _) {
            Thread.onSpinWait(); // interrupted by the program, which does not end the wait
        }
    }

    /** Threads that are no daemons, but the caller's and Java's own. */
    private static List<Thread> alive() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] all = new Thread[2 * root.activeCount() + 16];
        return new ArrayList<>(Arrays.stream(all, 0, root.enumerate(all)).filter(LastThreads::isOfProgram).toList());
    }

    private static boolean isOfProgram(Thread thread) {
        return !thread.isDaemon() && thread != Thread.currentThread() && !thread.getName().equals("DestroyJavaVM")
                && !thread.getName().startsWith("pgas-");
    }

    private static String describe(List<Thread> threads) {
        return threads.stream().map(thread -> Stream.of(thread.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith("java.") && !frame.getClassName().startsWith("jdk."))
                .findFirst().map(frame -> thread.getName() + " (at " + frame + ")").orElse(thread.getName())).toList().toString();
    }
}
