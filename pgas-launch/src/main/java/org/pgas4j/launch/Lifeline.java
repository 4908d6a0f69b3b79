package org.pgas4j.launch;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import org.pgas4j.os.Libc;

/**
 * Ends this JVM when its launcher is gone: the launcher holds the other end of standard input, and the kernel closes it
 * whatever way the launcher ends. As a belt, the kernel is asked to kill this JVM when the launcher ends; it asks on
 * behalf of the thread that calls, so it is this one, which lives as long as the JVM.
 */
final class Lifeline {

    private static final int SIGKILL = 9;

    private Lifeline() {
    }

    /** Starts the daemon thread; {@code in} must be read by nobody else. */
    static void start(InputStream in, long launcherPid, Runnable beforeHalt) {
        Thread.ofPlatform().daemon().name("pgas-lifeline").start(() -> {
            belt(launcherPid);
            waitForEnd(in);
            beforeHalt.run();
            Runtime.getRuntime().halt(ExitStatus.PEER_LOST);
        });
    }

    private static void belt(long launcherPid) {
        try {
            Libc.signalOnParentDeath(SIGKILL);
            if (Libc.parentPid() != launcherPid) { // gone before the request: no signal will come
                Runtime.getRuntime().halt(ExitStatus.PEER_LOST);
            }
        } catch (RuntimeException | LinkageError e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "no signal on the launcher's death; the pipe remains", e);
        }
    }

    private static void waitForEnd(InputStream in) {
        byte[] ignored = new byte[256];
        try {
            while (in.read(ignored) >= 0) {
                Thread.onSpinWait(); // nothing is ever sent; if it is, it means nothing
            }
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "standard input failed: taken for the launcher's end", e);
        }
    }
}
