package org.pgas4j.runtime.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.pgas4j.Kind;
import org.pgas4j.PgasException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.device.memory.SharedMemory;
import org.pgas4j.runtime.bootstrap.Bootstrap;
import org.pgas4j.runtime.directory.SegmentEntry;
import org.pgas4j.runtime.memory.Closing;
import org.pgas4j.runtime.memory.Segments;

/**
 * The staged route's two halves. A rank's half is a piece of shared host memory; the owner's half, done in the owner's
 * process on a stream of its own, copies between that memory and the owner's device segment. One per JVM; thread-safe.
 */
public final class Staging implements AutoCloseable {

    /** Number of the bootstrap service that does the owner's half for other processes. */
    public static final int SERVICE = 2;

    /** Bytes moved at a time. */
    static final int PIECE_BYTES = 1 << 20;

    private static final byte PUT = 1;
    private static final byte GET = 2;
    private static final int HEADER = 1 + Integer.BYTES + 2 * Long.BYTES + Long.BYTES;
    private static final Pattern PATH = Pattern.compile("/proc/[0-9]{1,10}/fd/[0-9]{1,10}");

    private final Bootstrap bootstrap;
    private final DeviceBackend backend;
    private final Segments segments;
    private final long timeoutNs;
    private final Map<Integer, AcceleratorStream> streams = new HashMap<>();
    private final Map<String, Mapped> mapped = new HashMap<>();

    private record Mapped(SharedMemory memory, HostRegistration registration) {
    }

    public Staging(Bootstrap bootstrap, DeviceBackend backend, Segments segments, long timeoutNs) {
        this.bootstrap = bootstrap;
        this.backend = backend;
        this.segments = segments;
        this.timeoutNs = timeoutNs;
    }

    /** A rank's piece of staging memory. */
    static final class Piece implements AutoCloseable {
        private final SharedMemory memory;
        private final HostRegistration registration;
        private final Accelerator accelerator;

        Piece(int rank, Accelerator accelerator) {
            this.accelerator = accelerator;
            memory = SharedMemory.create("pgas4j-staging-" + rank, PIECE_BYTES);
            registration = accelerator.register(memory.segment());
        }

        MemorySegment segment() {
            return memory.segment();
        }

        @Override
        public void close() {
            registration.close();
            memory.close();
        }
    }

    /** Copies the first {@code bytes} bytes of {@code piece} to the device segment of {@code rank}; complete at return. */
    void put(int rank, long offset, Piece piece, long bytes) {
        move(PUT, rank, offset, piece, bytes);
    }

    /** Copies from the device segment of {@code rank} to the start of {@code piece}; complete at return. */
    void get(Piece piece, int rank, long offset, long bytes) {
        move(GET, rank, offset, piece, bytes);
    }

    private void move(byte operation, int rank, long offset, Piece piece, long bytes) {
        if (segments.isLocal(rank)) {
            try {
                serve(operation, rank, offset, piece.segment(), bytes);
            } finally {
                piece.accelerator.bind();
            }
            return;
        }
        byte[] path = piece.memory.path().getBytes(StandardCharsets.US_ASCII);
        byte[] request = ByteBuffer.allocate(HEADER + path.length).put(operation).putInt(rank).putLong(offset)
                .putLong(bytes).putLong(PIECE_BYTES).put(path).array();
        bootstrap.call(bootstrap.processOf(rank), SERVICE, request, System.nanoTime() + timeoutNs);
    }

    /** The owner's half for another process: everything in the request is checked before memory is touched. */
    public byte[] answer(byte[] request) {
        if (request.length <= HEADER) {
            throw new PgasException("staged transfer request of " + request.length + " bytes is malformed");
        }
        ByteBuffer fields = ByteBuffer.wrap(request);
        byte operation = fields.get();
        int rank = fields.getInt();
        long offset = fields.getLong();
        long bytes = fields.getLong();
        long memoryBytes = fields.getLong();
        String path = new String(request, HEADER, request.length - HEADER, StandardCharsets.US_ASCII);
        if (operation != PUT && operation != GET || !segments.isLocal(rank) || memoryBytes != PIECE_BYTES
                || Bounds.outside(0, bytes, PIECE_BYTES)
                || Bounds.outside(offset, bytes, segments.heapBytes(Kind.DEVICE)) || !PATH.matcher(path).matches()) {
            throw new PgasException("staged transfer request refused: operation=" + operation + " rank=" + rank
                    + " offset=" + offset + " length=" + bytes + " path=" + path);
        }
        serve(operation, rank, offset, map(path, rank), bytes);
        return new byte[0];
    }

    private synchronized MemorySegment map(String path, int rank) {
        Mapped known = mapped.get(path);
        if (known == null) {
            try {
                SharedMemory memory = SharedMemory.open(path, PIECE_BYTES);
                known = new Mapped(memory, backend.open(segments.ordinalOf(rank)).register(memory.segment()));
            } catch (IOException e) {
                throw new PgasException("staging memory " + path + " cannot be mapped: " + e.getMessage(), e);
            }
            mapped.put(path, known);
        }
        return known.memory.segment();
    }

    private synchronized void serve(byte operation, int rank, long offset, MemorySegment piece, long bytes) {
        SegmentEntry entry = segments.entry(rank, Kind.DEVICE);
        Accelerator accelerator = backend.open(entry.ordinal());
        accelerator.bind();
        AcceleratorStream stream = streams.computeIfAbsent(entry.ordinal(), _ -> accelerator.newStream());
        if (operation == PUT) {
            stream.copyIn(segments.ownDeviceMemory(entry.ordinal()), entry.offset() + offset, piece, 0, bytes);
        } else {
            stream.copyOut(piece, 0, segments.ownDeviceMemory(entry.ordinal()), entry.offset() + offset, bytes);
        }
        if (!stream.sync(System.nanoTime() + timeoutNs)) {
            throw new PgasException("staged transfer with the device segment of rank " + rank + " timed out after "
                    + timeoutNs / 1_000_000 + " ms; raise pgas.timeout if that is too short");
        }
    }

    @Override
    public synchronized void close() {
        java.util.List<AutoCloseable> all = new java.util.ArrayList<>(streams.values());
        mapped.values().forEach(entry -> {
            all.add(entry.registration);
            all.add(entry.memory);
        });
        streams.clear();
        mapped.clear();
        Closing.closeAll(all);
    }
}
