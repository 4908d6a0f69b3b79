package org.pgas4j.runtime.check;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.spi.Lease;

/**
 * What programs got of their own shared memory: every allocation's views belong to an arena, which is closed with its lease, so
 * that a view of freed memory is refused by Java. Thread-safe.
 */
final class LocalViews {

    private final Map<Long, Arena> arenas = new HashMap<>();
    private final Map<Long, Arena> busy = new HashMap<>();

    /** The same memory, open as long as the lease lives. */
    @SuppressWarnings("restricted")
    synchronized MemorySegment of(Lease lease, MemorySegment memory) {
        if (!lease.isLive()) {
            return memory; // it ends meanwhile: as without checks
        }
        Arena arena = arenas.computeIfAbsent(lease.generation(), _ -> Arena.ofShared());
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), arena, null);
    }

    /** Closes the views of an allocation. */
    synchronized void end(long generation) {
        Arena arena = arenas.remove(generation);
        if (arena != null) {
            busy.put(generation, arena);
        }
        // A call of the device's or a library's may hold a view until it returns; its arena is closed at one of the next ends.
        busy.values().removeIf(LocalViews::closed);
    }

    private static boolean closed(Arena arena) {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) {
            return !arena.scope().isAlive();
        }
    }
}
