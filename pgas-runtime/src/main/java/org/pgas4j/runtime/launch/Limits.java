package org.pgas4j.runtime.launch;

import java.io.File;
import java.util.Map;
import org.pgas4j.UsageException;
import org.pgas4j.runtime.doctor.LimitsCheck;

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

    /** Of a JVM that is started: three pipes, and its connection. */
    private static final int FILES_OF_A_JVM = 4;
    /** Of this JVM: what Java, the network and the job's files need, and what a start of a process needs for a while. */
    private static final int FILES = 16;

    private Limits() {
    }

    /**
     * Before anything is started: with too few it could end anywhere, also where Java loads a part of itself.
     *
     * @param jvms to be started by this JVM
     * @throws UsageException if it may open fewer files than its class path and they need
     */
    static void checkOpenFiles(int jvms) {
        long jars = System.getProperty("java.class.path").chars().filter(letter -> letter == File.pathSeparatorChar).count() + 1;
        long needed = jars + FILES + (long) FILES_OF_A_JVM * jvms;
        long limit = LimitsCheck.openFiles().orElse(Long.MAX_VALUE);
        if (limit < needed) {
            throw new UsageException("this process may open " + limit + " files and needs " + needed + " for " + jars
                    + " jars and " + jvms + " JVMs; raise the limit: ulimit -n 4096");
        }
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
