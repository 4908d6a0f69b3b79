package org.pgas4j.fastpath.conduit.shm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.device.memory.Libc;
import org.pgas4j.device.memory.SharedMemory;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;

/** Segments are memory files of their rank's JVM; the other JVMs of the node map them. */
public final class ShmConduit implements Conduit {

    private final Map<Integer, SharedMemory> own = new HashMap<>();
    private final List<SharedMemory> attached = new ArrayList<>();

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public synchronized HostSegment create(int rank, long bytes) {
        SharedMemory memory;
        try {
            memory = SharedMemory.create("pgas4j-rank-" + rank, bytes);
        } catch (Libc.LibcException e) {
            throw new SegmentMemoryException("host segment of rank " + rank + " needs " + bytes
                    + " bytes and the machine has not that much: " + e.getMessage() + "; lower pgas.heap.host", e);
        }
        own.put(rank, memory);
        return new HostSegment(memory.segment(), new SegmentAddress(memory.path(), bytes));
    }

    @Override
    public synchronized Endpoint connect(int rank, SegmentAddress address) throws IOException {
        SharedMemory memory = own.get(rank);
        if (memory == null) {
            memory = SharedMemory.open(address.path(), address.bytes());
            attached.add(memory);
        }
        return new ShmEndpoint(memory.segment());
    }

    @Override
    public synchronized void close() {
        attached.forEach(SharedMemory::close);
        attached.clear();
        own.values().forEach(SharedMemory::close);
        own.clear();
    }
}
