package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.pgas4j.UsageException;

/**
 * The memory a job takes, in bytes.
 *
 * @param deviceHeap  shared heap of each rank in device memory: A, its columns of B, C
 * @param hostHeap    shared heap of each rank in host memory
 * @param privateDevice each rank's product, in device memory
 * @param process     what rank 0's JVM takes beside the ranks: the copy of C, the reference, the baseline
 * @param ranks       number of ranks at most
 * @param hostDevice  true if device memory is host memory
 */
record MemoryNeed(long deviceHeap, long hostHeap, long privateDevice, long process, int ranks, boolean hostDevice) {

    /** What each heap has beyond the arrays: rounding, and what the runtime itself allocates. */
    private static final long ROOM = 16L << 20;
    /** Beyond this no estimate is needed. */
    private static final double ABSURD = 0x1p60;

    /** For n x n matrices. */
    static MemoryNeed of(int n, RankCount count, MatmulOptions options) {
        int ranks = count.most();
        if (8.0 * n * n * (2.0 * ranks + 4) > ABSURD) {
            throw new UsageException("no memory for matrices of " + n + " x " + n + " on " + ranks + " ranks");
        }
        long matrix = options.type().bytes((long) n * n);
        long share = options.type().bytes(Columns.width(n, count.fewest()) * n);
        boolean userLevel = options.style() == MatmulOptions.Style.USER_LEVEL;
        long copy = options.verify() || options.out() != null ? matrix : 0;
        long baseline = options.baseline() && isHostDevice(options.device()) ? 3 * matrix : 0;
        long reference = options.verify() && n <= References.LARGEST_STORED ? (long) n * n * Double.BYTES : 0;
        return new MemoryNeed(2 * matrix + share + ROOM, ROOM + (userLevel ? matrix + share : 0), share,
                copy + reference + baseline, ranks, isHostDevice(options.device()));
    }

    private static boolean isHostDevice(String device) {
        if (device == null || device.equals("auto")) {
            return !Files.exists(Path.of("/dev/nvidiactl")) && !Files.exists(Path.of("/dev/dxg"));
        }
        return device.equals("host");
    }

    /** Host memory of the whole job, all ranks on this machine. */
    long hostBytes() {
        return process + ranks * (hostHeap + (hostDevice ? deviceHeap + privateDevice : 0));
    }

    /** @throws UsageException if this machine has less memory available */
    void check() {
        long available = available(Path.of("/proc/meminfo"), Path.of("/sys/fs/cgroup/memory.max"));
        if (hostBytes() > available) {
            throw new UsageException("no memory: the job takes " + text(hostBytes()) + " of host memory, "
                    + text(available) + " are available; take a smaller matrix, --dtype f32 or fewer ranks");
        }
    }

    /** The lesser of what the system and the control group allow; all there is where neither says. */
    static long available(Path meminfo, Path groupLimit) {
        long available = Long.MAX_VALUE;
        for (String line : lines(meminfo)) {
            if (line.startsWith("MemAvailable:")) {
                available = Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        for (String line : lines(groupLimit)) {
            if (line.matches("[0-9]{1,18}")) {
                available = Math.min(available, Long.parseLong(line));
            }
        }
        return available;
    }

    private static List<String> lines(Path file) {
        if (!Files.isReadable(file)) {
            return List.of();
        }
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            System.getLogger(MemoryNeed.class.getName()).log(System.Logger.Level.DEBUG, "cannot read " + file, e);
            return List.of();
        }
    }

    static String text(long bytes) {
        return bytes < 1L << 30 ? String.format(Locale.ROOT, "%.1f MiB", bytes / 0x1p20)
                : String.format(Locale.ROOT, "%.1f GiB", bytes / 0x1p30);
    }
}
