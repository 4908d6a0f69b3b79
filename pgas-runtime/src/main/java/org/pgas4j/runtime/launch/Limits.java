package org.pgas4j.runtime.launch;

import java.util.Map;

/** Limits of the system that an error of the operating system is about, and what to do. */
final class Limits {

    private static final Map<String, String> ADVICE = Map.of(
            "Too many open files", "this process may not open more files; raise the limit: ulimit -n 4096",
            "error=11,", "this user may not start more processes or threads; raise the limit: ulimit -u",
            "error=12,", "no memory to start a process; fewer ranks, or smaller Java heaps with --java-opt=-Xmx...",
            "No space left on device", "the file system is full or out of inodes; make room there, or choose another place:"
                    + " XDG_RUNTIME_DIR for the job directory (else /dev/shm), XDG_CACHE_HOME for libraries",
            "Read-only file system", "choose a place that can be written: XDG_RUNTIME_DIR for the job directory (else"
                    + " /dev/shm), XDG_CACHE_HOME for libraries");

    private Limits() {
    }

    /** One line that names the limit and the fix; null if the failure is about none that is known here. */
    static String explain(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            for (Map.Entry<String, String> known : ADVICE.entrySet()) {
                if (message.contains(known.getKey())) {
                    return message.lines().findFirst().orElse("") + ": " + known.getValue();
                }
            }
        }
        return null;
    }
}
