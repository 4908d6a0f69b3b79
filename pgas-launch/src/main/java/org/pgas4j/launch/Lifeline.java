package org.pgas4j.launch;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import org.pgas4j.ExitCode;
import org.pgas4j.os.JvmEnd;
import org.pgas4j.os.Libc;

/**
 * Ends this JVM when its launcher is gone: the launcher holds the other end of standard input, and the kernel closes it
 * whichever way the launcher ends. In addition the kernel sends this JVM a signal when its parent dies; such a request
 * lasts as long as the thread that makes it, so it is made by this daemon thread, which lives as long as the JVM.
 */
final class Lifeline {

    private static final int SIGKILL = 9;

    private Lifeline() {
    }

    /** Starts the daemon thread; {@code in} has no other reader. */
    static void start(InputStream in, long launcherPid, Runnable beforeHalt) {
        Thread.ofPlatform().daemon().name("pgas-lifeline").start(() -> {
            requestSignal(launcherPid);
            awaitEnd(in);
            beforeHalt.run();
            JvmEnd.halt(ExitCode.PEER_LOST.number());
        });
    }

    private static void requestSignal(long launcherPid) {
        try {
            Libc.signalOnParentDeath(SIGKILL);
            if (Libc.parentPid() != launcherPid) { // gone before the request: no signal will come
                JvmEnd.halt(ExitCode.PEER_LOST.number());
            }
        } catch (RuntimeException | LinkageError e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "no signal on the launcher's death; the pipe remains", e);
        }
    }

    private static void awaitEnd(InputStream in) {
        byte[] ignored = new byte[256];
        try {
            while (in.read(ignored) >= 0) {
                Thread.onSpinWait(); // nothing is ever sent
            }
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "standard input failed: taken for the launcher's end", e);
        }
    }
}
