package org.pgas4j.launch.doctor;

import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits of this process, which its ranks inherit. */
public final class LimitsCheck implements Check {

    private static final String FILE = "/proc/self/limits";
    private static final String OPEN_FILES = "Max open files";
    private static final long FEW_FILES = 1024;

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public List<Verdict> run() {
        return judge(Sources.text(FILE).orElseThrow(() -> new IllegalStateException(FILE + " cannot be read")),
                Sources.hasRdma());
    }

    /** Number of files that this process may open; empty without limit, or if the kernel gives none. */
    public static OptionalLong openFiles() {
        return Sources.text(FILE).filter(limits -> limits.contains(OPEN_FILES)).map(limits -> soft(limits, OPEN_FILES))
                .orElse(OptionalLong.empty());
    }

    /** Number of threads that this user's processes may have, by the lowest limit. */
    public static long threads() {
        long threads = Math.min(number("/proc/sys/kernel/threads-max"), number("/proc/sys/kernel/pid_max"));
        threads = Math.min(threads, number("/sys/fs/cgroup/pids.max"));
        OptionalLong processes = Sources.text(FILE).map(limits -> soft(limits, "Max processes")).orElse(OptionalLong.empty());
        // root may exceed its limit
        return System.getProperty("user.name").equals("root") ? threads : Math.min(threads, processes.orElse(Long.MAX_VALUE));
    }

    /** Number of memory mappings that a process may have. */
    public static long mappings() {
        return number("/proc/sys/vm/max_map_count");
    }

    /** Value of the file; the greatest number if it is missing or contains {@code max}. */
    private static long number(String file) {
        return Sources.text(file).filter(text -> text.matches("[0-9]{1,18}")).map(Long::valueOf).orElse(Long.MAX_VALUE);
    }

    /**
     * @param limits text of /proc/self/limits
     * @param rdma   whether this machine has network cards for RDMA, whose memory counts as locked
     */
    static List<Verdict> judge(String limits, boolean rdma) {
        long locked = soft(limits, "Max locked memory").orElse(Long.MAX_VALUE);
        long files = soft(limits, OPEN_FILES).orElse(Long.MAX_VALUE);
        String value = locked == Long.MAX_VALUE ? "unlimited" : Sources.size(locked);
        return List.of(
                !rdma || locked == Long.MAX_VALUE ? Verdict.ok("memlock", value + (rdma ? "" : ", no RDMA card needs it"))
                        : locked < Sources.DEFAULT_HEAP ? Verdict.fail("memlock", value + ", less than one rank's heap of "
                                + Sources.size(Sources.DEFAULT_HEAP), "ulimit -l unlimited (container: --ulimit memlock=-1)")
                        : Verdict.warn("memlock", value, "ulimit -l unlimited: RDMA locks all heaps of a rank"),
                files >= FEW_FILES ? Verdict.ok("open files", files == Long.MAX_VALUE ? "unlimited" : Long.toString(files))
                        : Verdict.warn("open files", Long.toString(files), "ulimit -n " + FEW_FILES + " or more"));
    }

    /** The soft limit, or empty if there is none. */
    static OptionalLong soft(String limits, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + "\\s+(\\d+|unlimited)\\s").matcher(limits);
        if (!line.find()) {
            throw new IllegalStateException("no line '" + name + "' in " + FILE);
        }
        return line.group(1).equals("unlimited") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(line.group(1)));
    }
}
