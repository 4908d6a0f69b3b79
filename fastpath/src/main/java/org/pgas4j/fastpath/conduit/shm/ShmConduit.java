package org.pgas4j.fastpath.conduit.shm;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.os.Libc;
import org.pgas4j.os.SharedMemory;

/** Conduit whose segments are memory files of their rank's JVM; the other JVMs of the node map them. */
public final class ShmConduit implements Conduit {

    private static final byte[] NO_KEY = new byte[0];

    private final Map<String, SharedMemory> own = new HashMap<>();
    private final Map<String, Attached> attached = new HashMap<>();

    private static final class Attached {
        private final SharedMemory memory;
        private int users;

        Attached(SharedMemory memory) {
            this.memory = memory;
        }
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public synchronized HostSegment create(int rank, String purpose, long bytes) {
        SharedMemory memory;
        try {
            memory = SharedMemory.create("pgas4j-" + purpose.replace(' ', '-') + "-rank-" + rank, bytes);
        } catch (Libc.LibcException e) {
            throw new SegmentMemoryException(purpose + " of rank " + rank + " needs " + bytes
                    + " bytes, which the machine does not have: " + e.getMessage() + "; lower pgas.heap.host", e);
        }
        own.put(memory.path(), memory);
        return new HostSegment(rank, memory.segment(), new SegmentAddress(memory.path(), bytes, NO_KEY));
    }

    @Override
    public void release(HostSegment segment) {
        SharedMemory memory;
        synchronized (this) {
            memory = own.remove(segment.address().path());
        }
        if (memory != null) {
            memory.close();
        }
    }

    @Override
    public synchronized Endpoint connect(int from, int to, SegmentAddress address) throws IOException {
        SharedMemory memory = own.get(address.path());
        if (memory == null) {
            Attached known = attached.get(address.path());
            if (known == null) {
                known = new Attached(SharedMemory.open(address.path(), address.bytes()));
                attached.put(address.path(), known);
            }
            known.users++;
            memory = known.memory;
        }
        return new ShmEndpoint(memory.segment(), address.path());
    }

    @Override
    public synchronized void disconnect(Endpoint endpoint) {
        String path = ((ShmEndpoint) endpoint).path();
        Attached known = attached.get(path);
        if (known != null && --known.users == 0) {
            attached.remove(path);
            known.memory.close();
        }
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
        return "shm: memory files mapped by every JVM of the node";
    }

    @Override
    public synchronized void close() {
        attached.values().forEach(known -> known.memory.close());
        attached.clear();
        own.values().forEach(SharedMemory::close);
        own.clear();
    }
}
