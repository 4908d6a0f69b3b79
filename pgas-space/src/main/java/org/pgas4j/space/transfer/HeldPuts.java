package org.pgas4j.space.transfer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * Copies of large puts to targets without whose progress the conduit completes none, as over tcp: the put returns when its bytes
 * are copied, whatever the target does, as one by rendezvous does. A copy is kept until the conduit has sent it. Any thread.
 */
final class HeldPuts {

    /** Smaller puts fit into what the network holds. */
    static final long MIN_BYTES = 256 << 10;

    private record Held(Endpoint endpoint, long ticket, Arena arena, long bytes) {
    }

    private final List<Held> all = new ArrayList<>();
    private final long bound;
    private volatile long bytes; // written under the lock

    /** @param bound of the bytes of all copies; above it puts wait */
    HeldPuts(long bound) {
        this.bound = bound;
    }

    /** Starts a put from a copy; false, and nothing is started, if there is no room. */
    synchronized boolean put(Endpoint endpoint, long offset, MemorySegment src, long srcOffset, long length) {
        collect();
        if (length > bound - bytes) {
            return false;
        }
        Arena arena = Arena.ofShared(); // another thread may collect it
        boolean started = false;
        try {
            MemorySegment copy = arena.allocate(length, Long.BYTES);
            MemorySegment.copy(src, srcOffset, copy, 0, length);
            long ticket = endpoint.startPut(offset, copy, 0, length);
            started = true;
            all.add(new Held(endpoint, ticket, arena, length));
            bytes += length;
        } finally {
            if (!started) {
                arena.close();
            }
        }
        return true;
    }

    /** Frees the copies that are sent. */
    void collect() {
        if (bytes > 0) { // every fence and barrier comes by, and seldom finds any
            collectSlowPath();
        }
    }

    private synchronized void collectSlowPath() {
        all.removeIf(held -> {
            if (!held.endpoint.isComplete(held.ticket)) {
                return false;
            }
            bytes -= held.bytes;
            held.arena.close();
            return true;
        });
    }

    @Override
    public String toString() {
        return "puts from " + MIN_BYTES + " bytes on from copies, up to " + bound + " bytes at once (pgas.rendezvous.buffered)";
    }

    /** Bytes of all copies now. */
    long bytes() {
        return bytes;
    }
}
