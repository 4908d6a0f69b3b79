package org.pgas4j.space.heap;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * First-fit allocator of offsets 0..capacity in whole granules, lowest offset first; neighbours are merged when freed.
 * Not thread-safe.
 */
final class FreeList {

    /** Bytes; every allocation starts at a multiple of it. */
    static final long GRANULE = 256;

    private final long capacity;
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private final Map<Long, Long> used = new HashMap<>();
    private final Set<Long> retired = new HashSet<>();
    private long usedBytes;
    private long highWaterBytes;

    FreeList(long capacity) {
        this.capacity = capacity / GRANULE * GRANULE;
        if (this.capacity > 0) {
            free.put(0L, this.capacity);
        }
    }

    /** {@code bytes} in whole granules, one at least; -1 if that does not fit a long. */
    static long rounded(long bytes) {
        if (bytes > Long.MAX_VALUE - GRANULE) {
            return -1;
        }
        return Math.max(1, Math.ceilDiv(bytes, GRANULE)) * GRANULE;
    }

    /** Offset at which {@code bytes} rounded bytes would go, below {@code limit}; -1 if nowhere. */
    long find(long bytes, long limit) {
        for (Map.Entry<Long, Long> run : free.entrySet()) {
            if (run.getKey() > limit - bytes) {
                return -1;
            }
            if (run.getValue() >= bytes) {
                return run.getKey();
            }
        }
        return -1;
    }

    /** Takes what {@link #find} found. */
    void take(long offset, long bytes) {
        long run = free.remove(offset);
        if (run > bytes) {
            free.put(offset + bytes, run - bytes);
        }
        used.put(offset, bytes);
        usedBytes += bytes;
        highWaterBytes = Math.max(highWaterBytes, usedBytes);
    }

    /** Frees the allocation at {@code offset}; returns its size or -1 if there is none. */
    long release(long offset) {
        Long bytes = used.remove(offset);
        if (bytes == null) {
            return -1;
        }
        if (!retired.remove(offset)) {
            usedBytes -= bytes;
        }
        long start = offset;
        long length = bytes;
        Map.Entry<Long, Long> before = free.floorEntry(offset);
        if (before != null && before.getKey() + before.getValue() == offset) {
            start = before.getKey();
            length += before.getValue();
        }
        Long after = free.remove(offset + bytes);
        if (after != null) {
            length += after;
        }
        free.put(start, length);
        return bytes;
    }

    /** The allocation at {@code offset} counts as used no more, but is not given out before its release. */
    void retire(long offset) {
        Long bytes = used.get(offset);
        if (bytes != null && retired.add(offset)) {
            usedBytes -= bytes;
        }
    }

    /** End of the highest allocation. */
    long top() {
        Map.Entry<Long, Long> last = free.lastEntry();
        return last != null && last.getKey() + last.getValue() == capacity ? last.getKey() : capacity;
    }

    /** The largest run below {@code limit}. */
    long largestBelow(long limit) {
        long largest = 0;
        for (Map.Entry<Long, Long> run : free.headMap(Math.max(0, limit)).entrySet()) {
            largest = Math.max(largest, Math.min(run.getValue(), limit - run.getKey()));
        }
        return largest;
    }

    long capacity() {
        return capacity;
    }

    long usedBytes() {
        return usedBytes;
    }

    long highWaterBytes() {
        return highWaterBytes;
    }
}
