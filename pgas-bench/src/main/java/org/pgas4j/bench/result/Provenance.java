package org.pgas4j.bench.result;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.pgas4j.Rank;

/**
 * Circumstances of a run that every row carries: machine, what else it did, version, flags, binding and helpers, as rank 0 saw
 * them. What a system does not tell is {@value #UNKNOWN}. Made and used by rank 0's thread.
 */
public final class Provenance {

    /** Name of the machine. */
    public static final String HOST = "host";
    /** Model of the processors. */
    public static final String PROCESSOR = "processor";
    /** Processors of the machine. */
    public static final String PROCESSORS = "processors";
    /** How their clock is governed. */
    public static final String GOVERNOR = "governor";
    /** Nodes of memory. */
    public static final String NUMA = "numa_nodes";
    /** Average number of runnable threads of the machine in the minute before the row. */
    public static final String LOAD = "load_1min";
    /** Container of the run, and its limit of processors if it has one. */
    public static final String CONTAINER = "container";
    /** When the row was made, UTC. */
    public static final String TIME = "time";
    /** Version of the program. */
    public static final String COMMIT = "commit";
    /** Java. */
    public static final String JAVA = "java";
    /** Its flags, and the settings among them. */
    public static final String FLAGS = "flags";
    /** Device that rank 0 computes on. */
    public static final String DEVICE = "device";
    /** Processors that rank 0's thread may use. */
    public static final String CPUS = "cpus";
    /** Helper threads in rank 0's JVM. */
    public static final String HELPERS = "helper_threads";
    /** Time that reading the clock takes, which times of single operations are without. */
    public static final String CLOCK = "clock_ns";

    /** All keys. */
    public static final List<String> KEYS = List.of(HOST, PROCESSOR, PROCESSORS, GOVERNOR, NUMA, LOAD, CONTAINER, TIME, COMMIT,
            JAVA, FLAGS, DEVICE, CPUS, HELPERS, CLOCK);
    /** Keys that name a machine or a version: rows that differ in them are never one line. */
    static final Set<String> DISTINGUISHING = Set.of(HOST, COMMIT);

    private static final String UNKNOWN = "unknown";
    private static final String HELPER_THREAD = "pgas-helper-";

    private final Map<String, Object> fixed = new LinkedHashMap<>();

    private Provenance(String commit, String device) {
        fixed.put(HOST, host());
        fixed.put(PROCESSOR, Environment.processor());
        fixed.put(PROCESSORS, Environment.processors());
        fixed.put(GOVERNOR, firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
        fixed.put(NUMA, numaNodes());
        fixed.put(CONTAINER, container());
        fixed.put(COMMIT, commit == null ? UNKNOWN : commit);
        fixed.put(JAVA, System.getProperty("java.vm.version"));
        fixed.put(FLAGS, flags());
        fixed.put(DEVICE, device);
        fixed.put(CPUS, status("/proc/thread-self/status", "Cpus_allowed_list"));
        fixed.put(HELPERS, helpers());
        fixed.put(CLOCK, Math.rint(ClockCost.ns() * 10) / 10);
    }

    /** Circumstances as the calling rank sees them now. */
    public static Provenance of(Rank rank, String commit) {
        return new Provenance(commit, rank.device().backend() + ", " + rank.device().name());
    }

    /** Circumstances of a program that has no rank. */
    public static Provenance ofProgram(String commit) {
        return new Provenance(commit, "none");
    }

    /** The row with these circumstances, and with time and load of now. */
    public Row stamp(Row row) {
        Row stamped = row;
        for (String key : KEYS) {
            stamped = stamped.with(key, switch (key) {
                case TIME -> Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
                case LOAD -> load();
                default -> fixed.get(key);
            });
        }
        return stamped;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException _) {
            return UNKNOWN;
        }
    }

    private static long numaNodes() {
        try (Stream<Path> nodes = Files.list(Path.of("/sys/devices/system/node"))) {
            return nodes.filter(node -> node.getFileName().toString().matches("node[0-9]+")).count();
        } catch (IOException _) {
            return 1;
        }
    }

    private static String container() {
        String kind = Files.exists(Path.of("/.dockerenv")) ? "docker" : Files.exists(Path.of("/run/.containerenv")) ? "podman"
                : System.getenv("KUBERNETES_SERVICE_HOST") != null ? "kubernetes"
                : Files.exists(Path.of("/run/systemd/container")) ? firstLine("/run/systemd/container") : "none";
        String limit = firstLine("/sys/fs/cgroup/cpu.max");
        return limit.equals(UNKNOWN) || limit.startsWith("max") ? kind : kind + ", cpu.max " + limit;
    }

    private static String flags() {
        return String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") && !flag.startsWith("-XX:AOT") && !flag.startsWith("-Xlog")
                        || flag.matches("-Dpgas\\.[a-z.]+=[^/]*")).toList());
    }

    private static long helpers() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds())) // without their stacks
                .filter(thread -> thread != null && thread.getThreadName().startsWith(HELPER_THREAD)).count();
    }

    private static double load() {
        String line = firstLine("/proc/loadavg");
        return line.equals(UNKNOWN) ? Double.NaN : Double.parseDouble(line.split(" ")[0]);
    }

    private static String firstLine(String file) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.findFirst().orElse(UNKNOWN).strip();
        } catch (IOException | RuntimeException _) { // no such file here
            return UNKNOWN;
        }
    }

    private static String status(String file, String key) {
        try {
            return Files.readAllLines(Path.of(file)).stream().filter(line -> line.startsWith(key + ":"))
                    .map(line -> line.substring(key.length() + 1).strip()).findFirst().orElse(UNKNOWN);
        } catch (IOException _) {
            return UNKNOWN;
        }
    }
}
