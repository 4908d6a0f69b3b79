package org.pgas4j.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Memory that this process can have: that of the machine, or of its control groups (cgroup v2 and v1, parents included)
 * if they have less. Linux grants more than it has and kills processes later, so large allocations check here first.
 * Any thread; reads files at each call.
 */
public final class SystemMemory {

    private static final Path PROC = Path.of("/proc");
    private static final Path CGROUP = Path.of("/sys/fs/cgroup");
    private static final long KIB = 1024;
    /** Limit from which on there is none: cgroup v1 writes a number of pages that no machine has. */
    private static final long NO_LIMIT = 1L << 62;

    /**
     * File names in one version of control groups.
     *
     * @param limit file with the limit of the group, bytes
     * @param used  file with the memory used, bytes
     * @param stat  file with the size of the file cache
     * @param cache start of its line in that file
     * @param kills file with the number of processes that were killed, after {@code oom_kill}
     */
    private record Names(String limit, String used, String stat, String cache, String kills) {

        static final Names V2 = new Names("memory.max", "memory.current", "memory.stat", "inactive_file ", "memory.events");
        static final Names V1 = new Names("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat",
                "total_inactive_file ", "memory.oom_control");
    }

    /** A control group with a limit. */
    private record Group(Path directory, Names names, long limit) {

        /** Free memory, with the file cache of inactive files: it is dropped before a process is killed. */
        long free() {
            return limit - Long.parseLong(text(directory.resolve(names.used())))
                    + value(directory.resolve(names.stat()), names.cache());
        }
    }

    private SystemMemory() {
    }

    /** Memory in bytes. */
    public static long totalBytes() {
        return totalBytes(PROC, CGROUP);
    }

    static long totalBytes(Path proc, Path cgroup) {
        long total = value(proc.resolve("meminfo"), "MemTotal:") * KIB;
        for (Group group : groups(proc, cgroup)) {
            total = Math.min(total, group.limit());
        }
        return total;
    }

    /** Memory in bytes that can be allocated without swapping. */
    public static long freeBytes() {
        return freeBytes(PROC, CGROUP);
    }

    static long freeBytes(Path proc, Path cgroup) {
        long free = value(proc.resolve("meminfo"), "MemAvailable:") * KIB;
        for (Group group : groups(proc, cgroup)) {
            free = Math.min(free, Math.max(0, group.free()));
        }
        return free;
    }

    /**
     * Number of processes that the system has killed so far because a control group of this process had no memory left.
     */
    public static long kills() {
        return kills(PROC, CGROUP);
    }

    static long kills(Path proc, Path cgroup) {
        long kills = 0;
        for (Group group : groups(proc, cgroup)) {
            Path file = group.directory().resolve(group.names().kills());
            if (Files.exists(file) && text(file).contains("oom_kill ")) { // older kernels do not count
                kills = Math.max(kills, value(file, "oom_kill "));
            }
        }
        return kills;
    }

    /** The groups with a limit among those of this process and their parents, as far as this mount shows them. */
    private static List<Group> groups(Path proc, Path cgroup) {
        List<Group> groups = new ArrayList<>();
        Path membership = proc.resolve("self/cgroup");
        for (String line : Files.exists(membership) ? text(membership).lines().toList() : List.of("0::/")) {
            String[] fields = line.split(":", 3);
            if (fields.length == 3 && fields[1].isEmpty()) {
                add(groups, cgroup, fields[2], Names.V2);
            } else if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
                add(groups, cgroup.resolve("memory"), fields[2], Names.V1);
            }
        }
        return groups;
    }

    /**
     * Adds a group and its parents. In a container the mount may begin at its own group, whose path is that of the
     * machine.
     */
    private static void add(List<Group> groups, Path root, String path, Names names) {
        Path group = root.resolve(path.substring(1)).normalize();
        for (Path each = group.startsWith(root) ? group : root; each.startsWith(root); each = each.getParent()) {
            Path limit = each.resolve(names.limit());
            if (Files.exists(limit)) {
                String text = text(limit);
                long bytes = text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
                if (bytes < NO_LIMIT) {
                    groups.add(new Group(each, names, bytes));
                }
            }
        }
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
