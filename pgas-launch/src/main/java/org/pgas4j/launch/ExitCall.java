package org.pgas4j.launch;

import java.util.Map;
import java.util.Optional;

/**
 * A call of {@link System#exit} by the program that is ending this JVM; Java does not report it to shutdown hooks.
 *
 * @param thread name of the thread that calls
 * @param caller frame of the call; null if it is not known
 */
record ExitCall(String thread, StackTraceElement caller) {

    private static final String RANK = "rank-";

    /**
     * Empty if the JVM ends otherwise: its last thread has ended, by a signal, or the launcher's main class ends it.
     */
    static Optional<ExitCall> find() {
        for (Map.Entry<Thread, StackTraceElement[]> thread : Thread.getAllStackTraces().entrySet()) {
            StackTraceElement[] frames = thread.getValue();
            for (int i = 0; i < frames.length; i++) {
                if (isExit(frames[i])) {
                    StackTraceElement caller = i + 1 < frames.length ? frames[i + 1] : null;
                    if (caller != null && isExit(caller)) {
                        continue; // System.exit calls Runtime.exit
                    }
                    return caller != null && caller.getClassName().equals(RankMain.class.getName()) ? Optional.empty()
                            : Optional.of(new ExitCall(thread.getKey().getName(), caller));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isExit(StackTraceElement frame) {
        return frame.getMethodName().equals("exit")
                && (frame.getClassName().equals("java.lang.Runtime") || frame.getClassName().equals("java.lang.System"));
    }

    /** The rank whose thread calls, or -1. */
    int rank() {
        if (!thread.startsWith(RANK)) {
            return -1;
        }
        try {
            return Integer.parseInt(thread.substring(RANK.length()));
        } catch (NumberFormatException _) {
            return -1; // the program's own thread
        }
    }

    /** Thread and frame, for messages. */
    String place() {
        return "by thread " + thread + (caller == null ? "" : " at " + caller);
    }
}
