package org.pgas4j.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.pgas4j.Rank;

/** What a result depends on, for the head of a table. */
final class Environment {

    private Environment() {
    }

    /** Prints machine, Java and device as comment lines. */
    static void print(Rank rank) {
        System.out.println("# machine: " + processor() + ", " + processors() + " processors, "
                + System.getProperty("os.name") + " " + System.getProperty("os.version"));
        System.out.println("# java: " + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        System.out.println("# flags: " + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") || flag.startsWith("-Dpgas")).toList()));
        System.out.println("# device: " + rank.device().backend() + ", " + rank.device().name());
        System.out.println("# clock step: " + clockStep() + " ns");
    }

    private static String processor() {
        return cpuinfo("model name").findFirst().orElse("unknown processor");
    }

    /** Of the machine: what Java says depends on the calling thread's binding. */
    private static long processors() {
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
