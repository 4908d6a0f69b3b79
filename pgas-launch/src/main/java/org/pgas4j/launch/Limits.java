package org.pgas4j.launch;

import java.io.File;
import java.util.List;
import java.util.Map;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.ProcessLayout;
import org.pgas4j.launch.doctor.LimitsCheck;
import org.pgas4j.os.SystemMemory;
import org.pgas4j.space.memory.ControlArea;

/** Limits of the operating system: checks before a job starts, and explanations of errors with their remedies. */
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
    /**
     * Open files of this JVM: for Java, the network and the job's files, and for a while for the start of a process.
     */
    private static final int FILES = 16;

    /** Of a rank's JVM beside its heaps, at the least: with less it is killed by the system, or makes no progress. */
    private static final long MEMORY_OF_A_JVM = 64L << 20;
    /** Of each heap whose size is chosen when the ranks start. */
    private static final long MIN_HEAP = 4096;
    private static final int THREADS_OF_A_JVM = 16;
    /** Of a rank: its stack, the guard below it, its segment. */
    private static final int MAPPINGS_OF_A_RANK = 3;

    /**
     * Need of a job's JVMs of one kind at the least.
     *
     * @param what   is needed
     * @param needed amount
     * @param limit  amount there is
     * @param unit   of both, a power of two, which the message counts in
     * @param remedy one thing to do
     */
    record Need(String what, long needed, long limit, long unit, String remedy) {

        boolean isMet() {
            return needed <= limit;
        }

        String missing() {
            return "needs " + Math.ceilDiv(needed, unit) + " " + what + " at least, and there are " + limit / unit + "; "
                    + remedy;
        }
    }

    private Limits() {
    }

    /**
     * Checks, before the JVMs of a node are started, that the minimum they need is available.
     *
     * @throws UsageException if it is not; names need and limit
     */
    static void check(NodeShare share, PgasConfig config) {
        checkOpenFiles(share.processes());
        ProcessLayout layout = share.layout();
        long ranks = layout.firstRank(share.end()) - layout.firstRank(share.first());
        long ranksOfAJvm = layout.firstRank(share.first() + 1) - layout.firstRank(share.first());
        List<Need> needs = List.of(
                new Need("open files in a JVM", jars() + FILES + ranksOfAJvm, LimitsCheck.openFiles().orElse(Long.MAX_VALUE), 1,
                        "raise the limit (ulimit -n), or take more --processes"),
                new Need("threads", ranks + (long) THREADS_OF_A_JVM * share.processes(), LimitsCheck.threads(), 1,
                        "raise the limit (ulimit -u, kernel.pid_max, kernel.threads-max, pids.max of the control group), or take"
                                + " fewer ranks"),
                new Need("memory mappings in a JVM", MAPPINGS_OF_A_RANK * ranksOfAJvm, LimitsCheck.mappings(), 1,
                        "raise the limit (sysctl vm.max_map_count), or take more --processes"),
                new Need("MiB of memory", memory(share.processes(), ranks, layout.ranks(), config), SystemMemory.freeBytes(),
                        1 << 20,
                        "raise the limit of the container, or take fewer JVMs (--processes), fewer ranks, smaller --heap-host and"
                                + " --heap-device"));
        needs.stream().filter(need -> !need.isMet()).findFirst().ifPresent(need -> {
            throw new UsageException("-n " + layout.ranks() + " --processes " + layout.processes() + " " + need.missing());
        });
    }

    /** Device heaps are in host memory, all of it reserved, where JVMs share them on the host device. */
    static long memory(long jvms, long ranks, int ranksOfTheJob, PgasConfig config) {
        boolean reserved = jvms > 1 && config.text(PgasKey.DEVICE).equals("host");
        long ofARank = new ControlArea(ranksOfTheJob).bytes() + heap(config, PgasKey.HEAP_HOST)
                + (reserved ? heap(config, PgasKey.HEAP_DEVICE) : 0);
        return jvms * MEMORY_OF_A_JVM + (ofARank > Long.MAX_VALUE / 2 / ranks ? Long.MAX_VALUE / 2 : ranks * ofARank);
    }

    private static long heap(PgasConfig config, PgasKey key) {
        return config.isAuto(key) ? MIN_HEAP : config.bytes(key);
    }

    private static long jars() {
        return System.getProperty("java.class.path").chars().filter(letter -> letter == File.pathSeparatorChar).count() + 1;
    }

    /**
     * Checks the limit of open files before anything is started: with too few, any step could fail, even in Java
     * itself.
     *
     * @param jvms to be started by this JVM
     * @throws UsageException if it may open fewer files than its class path and they need
     */
    static void checkOpenFiles(int jvms) {
        long jars = jars();
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
