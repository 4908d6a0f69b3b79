package org.pgas4j.bench.result;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.pgas4j.Backend;
import org.pgas4j.Rank;

/** Machine, Java and version that a result depends on, for the head of a table. */
public final class Environment {

    private static final Path DRIVER = Path.of("/proc/driver/nvidia/version");
    private static final Pattern VERSION = Pattern.compile("Kernel Module\\S*(?:\\s+for\\s+\\S+)?\\s+([0-9][0-9.]*)");

    private Environment() {
    }

    /** Prints machine, Java, device and version as comment lines. */
    public static void print(Rank rank, String commit) {
        lines(rank, commit).forEach(line -> System.out.println("# " + line));
    }

    private static List<String> lines(Rank rank, String commit) {
        List<String> lines = new ArrayList<>();
        lines.add("machine: " + machine());
        lines.add(java());
        lines.add("flags: " + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") && !flag.startsWith("-XX:AOT") || flag.startsWith("-Dpgas")).toList()));
        lines.add("device: " + rank.device().backend() + ", " + rank.device().name()
                + (rank.device().backend() == Backend.CUDA ? ", driver " + driver() : ""));
        if (commit != null) {
            lines.add("commit: " + commit);
        }
        lines.add("clock step: " + clockStep() + " ns");
        return lines;
    }

    /**
     * Machine, Java, what else the machine does now, and version, for a command that is no rank.
     *
     * @param when what the command has just done: "began" or "ended"
     */
    public static List<String> withLoad(String when, String commit) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("machine: " + machine());
        lines.add(java());
        lines.add("load when it " + when + " (1, 5, 15 minutes): "
                + Files.readString(Path.of("/proc/loadavg")).split(" [0-9]+/")[0]);
        if (commit != null) {
            lines.add("commit: " + commit);
        }
        return lines;
    }

    private static String java() {
        return "java: " + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
    }

    /** Processors and system. */
    public static String machine() {
        return processor() + ", " + processors() + " processors, " + System.getProperty("os.name") + " "
                + System.getProperty("os.version");
    }

    static String processor() {
        return cpuinfo("model name").findFirst().orElse("unknown processor");
    }

    /** Of the machine: Java's answer depends on the calling thread's binding. */
    static long processors() {
        return cpuinfo("processor").count();
    }

    private static Stream<String> cpuinfo(String key) {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip());
        } catch (IOException e) {
            return Stream.of("unknown (" + e.getMessage() + ")");
        }
    }

    /** True if the machine has a driver for GPUs of NVIDIA. */
    public static boolean hasGpu() {
        return Files.exists(DRIVER);
    }

    private static String driver() {
        try {
            Matcher version = VERSION.matcher(Files.readString(DRIVER));
            return version.find() ? version.group(1) : "unknown";
        } catch (IOException _) {
            return "unknown";
        }
    }

    private static long clockStep() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10_000; i++) {
            long before = System.nanoTime();
            long after = System.nanoTime();
            if (after > before) {
                least = Math.min(least, after - before);
            }
        }
        return least;
    }
}
