package org.pgas4j.space.check;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.pgas4j.Lease;

/**
 * Views that programs have of their own shared memory: every allocation's views belong to an arena, which is closed with its
 * lease, so that a view of freed memory is refused by Java. Thread-safe.
 */
final class LocalViews {

    /**
     * Shared memory behind an address.
     *
     * @param rank   whose part of the allocation
     * @param offset in the rank's segment
     */
    record Place(Lease lease, int rank, long offset) {
    }

    private final Map<Long, Arena> arenas = new HashMap<>();
    private final Map<Long, Arena> busy = new HashMap<>();
    private final TreeMap<Long, Place> places = new TreeMap<>(); // by the address of an allocation's start

    /** The same memory of {@code rank}, from a place in an allocation to its end, open as long as the lease lives. */
    @SuppressWarnings("restricted")
    synchronized MemorySegment of(Lease lease, int rank, MemorySegment memory) {
        if (!lease.isLive()) {
            return memory; // it ends meanwhile: as without checks
        }
        Arena arena = arenas.computeIfAbsent(lease.generation(), _ -> Arena.ofShared());
        places.put(memory.address() + memory.byteSize() - lease.bytes(), new Place(lease, rank, lease.start()));
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), arena, null);
    }

    /** Allocation at an address, if a program has a view of it; else null. */
    synchronized Place placeOf(long address) {
        Map.Entry<Long, Place> below = places.floorEntry(address);
        if (below == null || address - below.getKey() >= below.getValue().lease.bytes()) {
            return null;
        }
        Place start = below.getValue();
        return new Place(start.lease, start.rank, start.offset + address - below.getKey());
    }

    /** Closes the views of an allocation. */
    synchronized void end(long generation) {
        Arena arena = arenas.remove(generation);
        if (arena != null) {
            busy.put(generation, arena);
            places.values().removeIf(place -> place.lease.generation() == generation);
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
