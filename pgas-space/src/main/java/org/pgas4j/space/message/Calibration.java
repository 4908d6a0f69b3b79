package org.pgas4j.space.message;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.UsageException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.protocol.LocalMemory;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.fastpath.protocol.Pair;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.fastpath.protocol.PortOptions;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Thresholds;

/**
 * Finds the sizes from which rendezvous is faster than fastpath: both are timed between a port and itself, on memory of its
 * own, so that no other rank is needed. Takes some milliseconds, once per JVM, when something goes by messages for the first
 * time. A profile keeps the result.
 */
public final class Calibration {

    private static final int ROUNDS = 7;
    private static final long MIN_BYTES = 1024;
    private static final String SETTINGS = "settings";

    private Calibration() {
    }

    /**
     * The thresholds of the profile if it is there and was made under the same settings, else measured ones, which the
     * profile then keeps.
     *
     * @param profile value of {@code pgas.profile}: a file, or {@code none}
     */
    public static Thresholds thresholds(String profile, DeviceBackend backend, Conduit conduit, PortOptions options, int rank,
                                        int ordinal, Waiter waiter) {
        String settings = backend.name() + " " + conduit.name() + " " + options.ring().chunkBytes() + " "
                + options.ring().chunks() + " " + options.pieceBytes() + " " + options.depth();
        if (profile.equals("none")) {
            return measure(backend.open(ordinal), conduit, options, rank, waiter);
        }
        Path file = Path.of(profile);
        try {
            if (Files.exists(file)) {
                Thresholds kept = read(file, settings);
                if (kept != null) {
                    return kept;
                }
            }
            Thresholds measured = measure(backend.open(ordinal), conduit, options, rank, waiter);
            write(file, settings, measured);
            return measured;
        } catch (IOException e) {
            throw new UsageException("pgas.profile=" + profile + " cannot be read or written: " + e.getMessage(), e);
        }
    }

    private static Thresholds read(Path file, String settings) throws IOException {
        Properties kept = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            kept.load(in);
        }
        if (!settings.equals(kept.getProperty(SETTINGS))) {
            return null;
        }
        long[] bytes = new long[Thresholds.COUNT];
        for (int i = 0; i < bytes.length; i++) {
            String text = kept.getProperty(Thresholds.name(i), "");
            try {
                bytes[i] = Long.parseLong(text);
            } catch (NumberFormatException e) {
                throw new UsageException("profile " + file + ": " + Thresholds.name(i) + "='" + text
                        + "' (expected: a number of bytes); remove the file to measure anew", e);
            }
        }
        return new Thresholds(bytes, "profile " + file);
    }

    private static void write(Path file, String settings, Thresholds measured) throws IOException {
        Properties kept = new Properties();
        kept.setProperty(SETTINGS, settings);
        for (int i = 0; i < Thresholds.COUNT; i++) {
            kept.setProperty(Thresholds.name(i), Long.toString(measured.bytes()[i]));
        }
        // Several JVMs may write the same profile: each its own file first, then in one step the last one stays.
        Path part = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
        try (Writer out = Files.newBufferedWriter(part)) {
            kept.store(out, "pgas4j: transfers by messages go by rendezvous from these sizes on");
        }
        Files.move(part, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    static Thresholds measure(Accelerator accelerator, Conduit conduit, PortOptions options, int rank, Waiter waiter) {
        long most = Math.max(MIN_BYTES, options.ring().chunkBytes());
        HostSegment host = conduit.create(rank, "calibration", most);
        try (Arena arena = Arena.ofShared();
                DeviceMemory device = accelerator.allocate(2 * most, false);
                Neighbour neighbour = new Neighbour(conduit, options, rank, accelerator)) {
            LocalMemory memory = new LocalMemory(host.memory(), 0, most, device, 0, most, accelerator);
            Port port = new Port(rank, rank + 1, memory, conduit, options, neighbour, new QuietPause(waiter, () -> { }));
            try {
                long[] bytes = new long[Thresholds.COUNT];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = threshold(port, options, i, rank, arena.allocate(most, 64), memory.device(), most);
                }
                return new Thresholds(bytes, "measured when messages were first used");
            } finally {
                port.close();
            }
        } finally {
            conduit.release(host);
        }
    }

    /** The least size from which on rendezvous wins; what does not fit a chunk always goes by rendezvous. */
    private static long threshold(Port port, PortOptions options, int index, int rank, MemorySegment host,
                                  DeviceMemory device, long most) {
        boolean put = index < Thresholds.COUNT / 2;
        MemoryKind own = MemoryKind.values()[index / 2 % 2];
        MemoryKind remote = MemoryKind.values()[index % 2];
        long threshold = options.ring().capacity() + 1L;
        for (long size = Long.highestOneBit(options.ring().capacity()); size >= MIN_BYTES && size <= most; size /= 2) {
            long fastpath = time(port, put, remote, rank, own == MemoryKind.HOST ? host : null,
                    own == MemoryKind.DEVICE ? device : null, own == MemoryKind.DEVICE ? most : 0, size, Long.MAX_VALUE);
            long rendezvous = time(port, put, remote, rank, own == MemoryKind.HOST ? host : null,
                    own == MemoryKind.DEVICE ? device : null, own == MemoryKind.DEVICE ? most : 0, size, 0);
            if (rendezvous >= fastpath) {
                break;
            }
            threshold = size;
        }
        return threshold;
    }

    private static long time(Port port, boolean put, MemoryKind remote, int rank, MemorySegment host, DeviceMemory device,
                             long offset, long size, long threshold) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long begin = System.nanoTime();
            Operation operation = put ? port.put(rank, remote, 0, host, device, offset, size, threshold)
                    : port.get(rank, remote, 0, host, device, offset, size, threshold);
            port.complete(operation);
            port.fence();
            best = Math.min(best, System.nanoTime() - begin);
        }
        return best;
    }

    /** Itself alone. */
    private static final class Neighbour implements Port.Connector, AutoCloseable {
        private final Conduit conduit;
        private final PortOptions options;
        private final int rank;
        private final Accelerator accelerator;
        private HostSegment ring;
        private Endpoint endpoint;

        Neighbour(Conduit conduit, PortOptions options, int rank, Accelerator accelerator) {
            this.conduit = conduit;
            this.options = options;
            this.rank = rank;
            this.accelerator = accelerator;
        }

        @Override
        public Pair connect(int peer) {
            ring = conduit.create(rank, "calibration ring", options.ring().bytes());
            endpoint = memory(rank, ring.address());
            return new Pair(rank, rank, options, conduit, accelerator, ring, endpoint);
        }

        @Override
        public Endpoint segment(int peer) {
            throw new IllegalStateException("calibration uses no segment");
        }

        @Override
        public Endpoint memory(int peer, SegmentAddress address) {
            try {
                return conduit.connect(rank, rank, address);
            } catch (IOException e) {
                throw new IllegalStateException("rank " + rank + " cannot reach itself over " + conduit.name(), e);
            }
        }

        @Override
        public void close() {
            if (ring != null) {
                conduit.disconnect(endpoint);
                conduit.release(ring);
            }
        }
    }
}
