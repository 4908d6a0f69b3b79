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
 * Conduit whose segments are private memory of this JVM. Every operation is done under one lock, a byte at a time, so
 * that its meaning depends on no property of copies, caches or atomics.
 */
public final class LoopbackConduit implements Conduit {

    private final Map<String, Owned> segments = new HashMap<>();
    private long made;

    private record Owned(Arena arena, MemorySegment memory) {
    }

    @Override
    public String name() {
        return "loopback";
    }

    @Override
    public synchronized HostSegment create(int rank, String purpose, long bytes) {
        Arena arena = Arena.ofShared();
        MemorySegment memory;
        try {
            memory = arena.allocate(bytes, 4096);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new SegmentMemoryException(purpose + " of rank " + rank + " needs " + bytes
                    + " bytes, which the JVM cannot allocate; lower pgas.heap.host", e);
        }
        String name = "loopback-" + made++;
        segments.put(name, new Owned(arena, memory));
        return new HostSegment(rank, memory, new SegmentAddress(name, bytes, new byte[0]));
    }

    @Override
    public synchronized void release(HostSegment segment) {
        Owned owned = segments.remove(segment.address().path());
        if (owned != null) {
            owned.arena.close();
        }
    }

    @Override
    public synchronized Endpoint connect(int from, int to, SegmentAddress address) throws IOException {
        Owned owned = segments.get(address.path());
        if (owned == null) {
            throw new IOException("'" + address.path() + "' of rank " + to + " is not in this JVM and the loopback conduit "
                    + "goes no further; use pgas.conduit=shm");
        }
        return new LoopbackEndpoint(owned.memory);
    }

    @Override
    public void disconnect(Endpoint endpoint) {
        // an endpoint holds nothing
    }

    @Override
    public boolean progress(int rank) {
        return false;
    }

    @Override
    public boolean needsProgress() {
        return false;
    }

    @Override
    public String describe() {
        return "loopback: one byte at a time under one lock, inside this JVM";
    }

    @Override
    public synchronized void close() {
        segments.values().forEach(owned -> owned.arena.close());
        segments.clear();
    }
}
