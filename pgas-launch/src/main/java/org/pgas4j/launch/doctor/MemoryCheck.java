package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.pgas4j.os.SystemMemory;

/** Memory for the default heaps of a rank on each processor, and /dev/shm for files with names. */
final class MemoryCheck implements Check {

    private static final Path SHM = Path.of("/dev/shm");
    /** A job's directory with its node directory of addresses. */
    private static final long JOB_DIRECTORY = 8 * Sources.MIB;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public List<Verdict> run() throws IOException {
        int ranks = Runtime.getRuntime().availableProcessors();
        FileStore store = Files.isDirectory(SHM) ? Files.getFileStore(SHM) : null;
        return List.of(judgeMemory(SystemMemory.totalBytes(), SystemMemory.freeBytes(), ranks),
                judgeShm(store != null && Files.isWritable(SHM), store == null ? 0 : store.getTotalSpace(),
                        store == null ? 0 : store.getUsableSpace(), ranks));
    }

    static Verdict judgeMemory(long total, long free, int ranks) {
        long wanted = 2 * ranks * Sources.DEFAULT_HEAP; // host heap, and device heap on the host device
        String value = Sources.size(free) + " of " + Sources.size(total) + " free";
        return free >= wanted ? Verdict.ok("memory", value)
                : Verdict.warn("memory", value + ", heaps of " + ranks + " ranks take " + Sources.size(wanted),
                        "free memory, start fewer ranks, or set --heap-host and --heap-device to less");
    }

    /** Heaps have no name there, except those of the ucx conduit. */
    static Verdict judgeShm(boolean writable, long total, long free, int ranks) {
        long wanted = ranks * Sources.DEFAULT_HEAP;
        String value = Sources.size(free) + " of " + Sources.size(total) + " free";
        if (!writable) {
            return Verdict.fail("/dev/shm", "missing or not writable", "mount a tmpfs of mode 1777 there (container:"
                    + " --shm-size 1g), or set XDG_RUNTIME_DIR to a directory of yours");
        }
        if (free < JOB_DIRECTORY) {
            return Verdict.fail("/dev/shm", value + ", a job's directory takes " + Sources.size(JOB_DIRECTORY),
                    "enlarge it (container: --shm-size 1g) or remove what is in it");
        }
        return free >= wanted ? Verdict.ok("/dev/shm", value)
                : Verdict.warn("/dev/shm", value + ", heaps of " + ranks + " ranks with --conduit ucx take "
                        + Sources.size(wanted), "enlarge it (container: --shm-size " + wanted / Sources.MIB + "m)");
    }
}
