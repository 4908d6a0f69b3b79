package org.pgas4j.testkit.campaign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Leftovers of jobs on a machine: files in memory and in temporary directories, System V objects, JVMs of ranks. */
final class Leftovers {

    private static final List<Path> FOLDERS = List.of(Path.of("/dev/shm"), Path.of("/tmp"),
            Path.of(System.getProperty("java.io.tmpdir")), Path.of(System.getProperty("user.dir")),
            Path.of(System.getProperty("user.home"), ".cache/pgas4j/tmp"));
    private static final List<Path> SYSTEM_V = List.of(Path.of("/proc/sysvipc/shm"), Path.of("/proc/sysvipc/sem"),
            Path.of("/proc/sysvipc/msg"));
    private static final long PATIENCE_NS = 1_000_000_000L;

    private Leftovers() {
    }

    /** All there is now, ours or not. */
    static Set<String> now() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path folder : FOLDERS) {
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.list(folder)) {
                    files.forEach(file -> found.add(file.toString()));
                }
            }
        }
        for (Path objects : SYSTEM_V) {
            if (Files.isReadable(objects)) {
                Files.readAllLines(objects).stream().skip(1).forEach(line -> found.add(objects + " " + line.strip()));
            }
        }
        ProcessHandle.allProcesses().filter(Leftovers::isRank).forEach(process -> found.add("process " + process.pid()));
        return found;
    }

    /** Those that are there now, were not before, and do not go away within a second. */
    static Set<String> since(Set<String> before) throws IOException {
        Set<String> left = now();
        left.removeAll(before);
        if (!left.isEmpty()) {
            LockSupport.parkNanos(PATIENCE_NS);
            left.retainAll(now());
        }
        return left;
    }

    private static boolean isRank(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .contains("org.pgas4j.launch.RankMain");
        } catch (IOException _) {
            return false; // it has ended
        }
    }
}
