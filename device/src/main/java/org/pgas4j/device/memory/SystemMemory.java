package org.pgas4j.device.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * How much memory this process can have: of the machine, or of its container (cgroup v2) if that has less. Linux hands
 * out more than it has and ends processes later, so whoever takes much asks here first. Any thread; reads files at each
 * call.
 */
public final class SystemMemory {

    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final Path CGROUP = Path.of("/sys/fs/cgroup");
    private static final long KIB = 1024;

    private SystemMemory() {
    }

    /** Memory in bytes. */
    public static long totalBytes() {
        return Math.min(value(MEMINFO, "MemTotal:") * KIB, cgroupLimit());
    }

    /** Memory in bytes that can be had without swapping. */
    public static long freeBytes() {
        long machine = value(MEMINFO, "MemAvailable:") * KIB;
        long limit = cgroupLimit();
        if (limit == Long.MAX_VALUE) {
            return machine;
        }
        long used = Long.parseLong(text(CGROUP.resolve("memory.current")));
        long cache = value(CGROUP.resolve("memory.stat"), "inactive_file ");
        return Math.clamp(limit - used + cache, 0, machine);
    }

    private static long cgroupLimit() {
        Path file = CGROUP.resolve("memory.max");
        if (!Files.exists(file)) {
            return Long.MAX_VALUE;
        }
        String limit = text(file);
        return limit.equals("max") ? Long.MAX_VALUE : Long.parseLong(limit);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static long value(Path file, String key) {
        try (Stream<String> lines = Files.lines(file)) {
            String line = lines.filter(l -> l.startsWith(key)).findFirst().orElseThrow(() ->
                    new IllegalStateException(file + " has no line " + key));
            return Long.parseLong(line.substring(key.length()).replaceAll("\\D", ""));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
