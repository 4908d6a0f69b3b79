package org.pgas4j.space.heap;

import java.util.HashMap;
import java.util.Map;
import org.pgas4j.MemoryKind;

/**
 * Allocations on all ranks at once: one list of offsets per kind for the whole job, kept by process 0. It grows
 * from the bottom of the segments; the ranks' own allocations grow from the top, and how far each has come is kept here,
 * so that the two never meet. Thread-safe.
 */
public final class GlobalHeap {

    private static final class Space {
        private final FreeList list;
        private final Map<Integer, Long> reserved = new HashMap<>();
        private long mostReserved;
        private int mostReservedRank;

        Space(long capacity) {
            list = new FreeList(capacity);
        }

        long limit() {
            return list.capacity() - mostReserved;
        }
    }

    private final Space host;
    private final Space device;

    /** A heap over segments of these sizes on every rank. */
    public GlobalHeap(long hostBytes, long deviceBytes) {
        host = new Space(hostBytes);
        device = new Space(deviceBytes);
    }

    private Space space(MemoryKind kind) {
        return kind == MemoryKind.HOST ? host : device;
    }

    /** Allocates {@code bytes} at one offset of every rank's segment; -1 if they do not fit. */
    public synchronized long allocate(MemoryKind kind, long bytes) {
        Space space = space(kind);
        long rounded = FreeList.rounded(bytes);
        long offset = rounded < 0 ? -1 : space.list.find(rounded, space.limit());
        if (offset >= 0) {
            space.list.take(offset, rounded);
        }
        return offset;
    }

    /** Frees; false if nothing is allocated at {@code offset}. */
    public synchronized boolean free(MemoryKind kind, long offset) {
        return space(kind).list.release(offset) >= 0;
    }

    /** Marks the allocation at {@code offset} as freed: it counts as used no more, but is not given out before it is freed. */
    public synchronized void retire(MemoryKind kind, long offset) {
        space(kind).list.retire(offset);
    }

    /** Lets a rank's own allocations use the top {@code bytes} bytes of its segment; false if the global ones are there. */
    public synchronized boolean reserve(MemoryKind kind, int rank, long bytes) {
        Space space = space(kind);
        if (bytes > space.list.capacity() - space.list.top()) {
            return false;
        }
        space.reserved.put(rank, bytes);
        if (bytes >= space.mostReserved) {
            space.mostReserved = bytes;
            space.mostReservedRank = rank;
        } else if (space.mostReservedRank == rank) {
            space.mostReserved = 0;
            space.reserved.forEach((other, amount) -> {
                if (amount >= space.mostReserved) {
                    space.mostReserved = amount;
                    space.mostReservedRank = other;
                }
            });
        }
        return true;
    }

    /** Used, most ever used, largest free run and end of the highest allocation, in bytes of one rank's segment. */
    public synchronized long[] stats(MemoryKind kind) {
        Space space = space(kind);
        return new long[] {space.list.usedBytes(), space.list.highWaterBytes(), space.list.largestBelow(space.limit()),
            space.list.top()};
    }
}
