package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.pgas4j.UsageException;
import org.pgas4j.array.Distribution;
import org.pgas4j.examples.matmul.Matmul.MatmulAlgorithm;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;
import org.pgas4j.examples.matmul.Matmul.MatmulStyle;
import org.pgas4j.examples.matmul.Matmul.MatmulTransposed;

/**
 * Memory that a job takes, in bytes.
 *
 * @param deviceHeap shared heap of each rank in device memory: A, its columns of B, C; or its blocks of all three
 * @param hostHeap   shared heap of each rank in host memory
 * @param host       host memory of the whole job, all ranks on this machine
 */
record MemoryNeed(long deviceHeap, long hostHeap, long host) {

    /** Part of each heap beyond the arrays: rounding, and allocations of the runtime. */
    private static final long ROOM = 16L << 20;
    /** Beyond this no estimate is needed. */
    private static final double ABSURD = 0x1p60;

    /**
     * For n x n matrices. The heaps must be large enough for the fewest ranks, the machine for the most; the two differ only if
     * neither an option nor a setting gives the number, as a launcher may then.
     */
    static MemoryNeed of(int n, int fewest, int most, MatmulCase of, String device) {
        if (8.0 * n * n * (2.0 * most + 4) > ABSURD) {
            throw new UsageException("no memory for matrices of " + n + " x " + n + " on " + most + " ranks");
        }
        boolean hostDevice = isHostDevice(device);
        long matrix = of.dtype().type().bytes((long) n * n);
        long share = of.dtype().type().bytes(Columns.width(n, fewest) * n);
        long deviceHeap = 2 * matrix + share + ROOM;
        long hostHeap = ROOM + (of.style() == MatmulStyle.USER_LEVEL ? matrix + share : 0);
        long copy = of.verify() || of.out() != null ? matrix : 0;
        long reference = of.verify() && n <= ProductReference.MAX_STORED ? (long) n * n * Double.BYTES : 0;
        long baseline = of.baseline() && hostDevice ? 3 * matrix : 0;
        return new MemoryNeed(deviceHeap, hostHeap,
                copy + reference + baseline + most * (hostHeap + (hostDevice ? deviceHeap + share : 0)));
    }

    /** For global matrices on a number of ranks, none of which has a whole one. */
    static MemoryNeed ofGlobal(Inputs inputs, int ranks, MatmulCase of, String device) {
        long m = inputs.rows();
        long n = inputs.columns();
        long k = inputs.n();
        if (8.0 * (m * (double) k + k * (double) n + m * (double) n) * (2.0 * ranks + 4) > ABSURD) {
            throw new UsageException("no memory for matrices of " + m + " x " + k + " and " + k + " x " + n + " on " + ranks
                    + " ranks");
        }
        if (of.tile() > 0) {
            return ofTiles(inputs, ranks, of, device);
        }
        GlobalLayout layout = GlobalLayout.of(of, m, n, k, ranks, isHostDevice(device));
        long operands = of.dtype().type().bytes(block(layout.a()) + block(layout.b()));
        long block = of.dtype().resultType().bytes(block(layout.c()));
        long passed = of.algorithm() == MatmulAlgorithm.CANNON ? 2 * operands : 0;
        long turned = of.transposed() == MatmulTransposed.NONE ? 0 : operands;
        long deviceHeap = operands + turned + passed + 3 * block + ROOM;  // sums on their way are in up to two blocks
        long working = 2 * operands + 2 * block         // parts of other ranks
                + (of.algorithm() == MatmulAlgorithm.REPLICATED ? of.dtype().type().bytes(m * k) : 0);
        long copies = (of.gather() ? of.dtype().resultType().bytes(m * n) : 0)
                + (of.baseline() ? ranks * (of.dtype().type().bytes(m * k + k * n) + of.dtype().resultType().bytes(m * n)) : 0);
        return new MemoryNeed(deviceHeap, ROOM, ranks * ROOM
                + (isHostDevice(device) ? ranks * (deviceHeap + working) + copies : 0));
    }

    private static MemoryNeed ofTiles(Inputs inputs, int ranks, MatmulCase of, String device) {
        long side = of.tile();
        long tile = side * side * Double.BYTES;
        long down = Math.ceilDiv(inputs.rows(), side);
        long across = Math.ceilDiv(inputs.columns(), side);
        long inner = Math.ceilDiv(inputs.n(), side);
        long heap = (Math.ceilDiv(down * inner, ranks) + Math.ceilDiv(inner * across, ranks) + Math.ceilDiv(down * across, ranks))
                * tile + ROOM;
        return new MemoryNeed(heap, ROOM, ranks * ROOM + (isHostDevice(device) ? ranks * (heap + (2 * inner + 1) * tile) : 0));
    }

    private static long block(Distribution distribution) {
        return distribution.lengthOn(0, 0) * distribution.lengthOn(0, 1);
    }

    /** True if ranks compute on the host device, as far as that can be seen. */
    private static boolean isHostDevice(String device) {
        return device == null || device.equals("auto")
                ? !Files.exists(Path.of("/dev/nvidiactl")) && !Files.exists(Path.of("/dev/dxg")) : device.equals("host");
    }

    /** @throws UsageException if this machine has less memory available */
    void check() {
        long available = available(Path.of("/proc/meminfo"), Path.of("/sys/fs/cgroup/memory.max"));
        if (host > available) {
            throw new UsageException("no memory: the job takes " + text(host) + " of host memory, "
                    + text(available) + " are available; take a smaller matrix, --dtype f32 or fewer ranks");
        }
    }

    /** The lesser of the system's and the control group's limit; no limit where neither gives one. */
    private static long available(Path meminfo, Path groupLimit) {
        long system = lines(meminfo).stream().filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10).findFirst().orElse(Long.MAX_VALUE);
        return lines(groupLimit).stream().filter(line -> line.matches("[0-9]{1,18}")).mapToLong(Long::parseLong)
                .reduce(system, Math::min);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
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
