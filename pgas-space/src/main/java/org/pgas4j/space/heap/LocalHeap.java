package org.pgas4j.space.heap;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * One rank's own allocations in its segment of one kind, from the top down. How far down it may go is asked of the global
 * heap when more is needed. Thread-safe.
 */
public final class LocalHeap {

    private final FreeList list;
    private final LongPredicate reserve;
    private final Map<Long, Long> distances = new HashMap<>();
    private long reserved;

    /**
     * @param capacity size of the segment in bytes
     * @param reserve  asks for the top so many bytes of the segment; true if granted
     */
    public LocalHeap(long capacity, LongPredicate reserve) {
        this.list = new FreeList(capacity);
        this.reserve = reserve;
    }

    /** Offset of {@code bytes} new bytes, or -1 if they do not fit. */
    public synchronized long allocate(long bytes) {
        long rounded = FreeList.rounded(bytes);
        if (rounded < 0) {
            return -1;
        }
        // Distances from the segment's end, so that the lowest distance is the highest address.
        long distance = list.find(rounded, reserved);
        if (distance < 0) {
            distance = list.find(rounded, list.capacity());
            if (distance < 0 || !reserve.test(distance + rounded)) {
                return -1;
            }
            reserved = distance + rounded;
        }
        list.take(distance, rounded);
        long offset = list.capacity() - distance - rounded;
        distances.put(offset, distance);
        return offset;
    }

    /** Frees; false if nothing is allocated at {@code offset}. */
    public synchronized boolean free(long offset) {
        Long distance = distances.remove(offset);
        if (distance == null) {
            return false;
        }
        list.release(distance);
        shrink();
        return true;
    }

    /** Marks the allocation at {@code offset} as freed: it counts as used no more, but is not given out before it is freed. */
    public synchronized void retire(long offset) {
        Long distance = distances.get(offset);
        if (distance != null) {
            list.retire(distance);
        }
    }

    private void shrink() {
        long needed = list.top();
        if (needed < reserved && reserve.test(needed)) {
            reserved = needed;
        }
    }

    public synchronized long usedBytes() {
        return list.usedBytes();
    }

    public synchronized long highWaterBytes() {
        return list.highWaterBytes();
    }

    /** Largest block that fits if the global allocations end at {@code globalTop}. */
    public synchronized long largestFree(long globalTop) {
        return list.largestBelow(list.capacity() - globalTop);
    }
}
