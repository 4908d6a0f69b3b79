package org.pgas4j.fastpath.conduit.loopback;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;

/**
 * Segments are private memory of this JVM. Every operation is done under one lock, a byte at a time, so that nothing
 * about its meaning depends on how fast copies, caches or atomics work.
 */
public final class LoopbackConduit implements Conduit {

    private final Arena arena = Arena.ofShared();
    private final Map<Integer, MemorySegment> segments = new HashMap<>();

    @Override
    public String name() {
        return "loopback";
    }

    @Override
    public synchronized HostSegment create(int rank, long bytes) {
        MemorySegment memory;
        try {
            memory = arena.allocate(bytes, 4096);
        } catch (OutOfMemoryError e) {
            throw new SegmentMemoryException("host segment of rank " + rank + " needs " + bytes
                    + " bytes and the JVM cannot get them; lower pgas.heap.host", e);
        }
        segments.put(rank, memory);
        return new HostSegment(memory, new SegmentAddress("", bytes));
    }

    @Override
    public synchronized Endpoint connect(int rank, SegmentAddress address) throws IOException {
        MemorySegment memory = segments.get(rank);
        if (memory == null) {
            throw new IOException("rank " + rank + " is not in this JVM and the loopback conduit goes no further; "
                    + "use pgas.conduit=shm");
        }
        return new LoopbackEndpoint(memory);
    }

    @Override
    public synchronized void close() {
        segments.clear();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
