package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Notifications of a block of the host device: those available, and waits for them. Used by the block's thread. */
final class HostBlockTags {

    private final HostBlockWaits waits;
    private final MemorySegment own;
    private final long record;
    private final long[] counts = new long[BlockLayout.TAGS]; // of those consumed, negative

    /** @param record of the block in the segment {@code own} */
    HostBlockTags(HostBlockWaits waits, MemorySegment own, long record) {
        this.waits = waits;
        this.own = own;
        this.record = record;
        for (int tag = 0; tag < BlockLayout.TAGS; tag++) {
            counts[tag] = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.OWN + (long) tag * Long.BYTES);
        }
    }

    /** Keeps the counts for the next launch. */
    void save() {
        for (int tag = 0; tag < BlockLayout.TAGS; tag++) {
            own.set(ValueLayout.JAVA_LONG, record + BlockLayout.OWN + (long) tag * Long.BYTES, counts[tag]);
        }
    }

    void check(int tag) {
        waits.requireOperations();
        if (tag < 0 || tag >= BlockLayout.TAGS) {
            throw waits.fail(BlockFailure.NO_TAG, tag, BlockLayout.TAGS, 0);
        }
    }

    private void check(int first, int tags) {
        waits.requireOperations();
        if (tags < 1) {
            throw waits.fail(BlockFailure.NO_TAGS, first, 1, tags);
        }
        if (first < 0 || first > BlockLayout.TAGS - tags) {
            throw waits.fail(BlockFailure.NO_TAG, first < 0 ? first : first + tags - 1, BlockLayout.TAGS, 0);
        }
    }

    private void checkCount(int tag, long count) {
        if (count < 0 || count > BlockLayout.MAX_COUNT) {
            throw waits.fail(BlockFailure.BAD_COUNT, tag, BlockLayout.MAX_COUNT, count);
        }
    }

    private long available(int tag) {
        long at = record + (long) tag * Long.BYTES;
        return (long) HostPage.LONG.getAcquire(own, at + BlockLayout.DIRECT)
                + (long) HostPage.LONG.getAcquire(own, at + BlockLayout.PROXY) + counts[tag];
    }

    boolean test(int tag, long count) {
        check(tag);
        checkCount(tag, count);
        if (available(tag) - count >= 0) {
            counts[tag] -= count;
            return true;
        }
        waits.looked();
        return false;
    }

    void await(int tag, long count) {
        check(tag);
        checkCount(tag, count);
        waits.await(BlockFailure.LATE_NOTIFICATION, tag, count, () -> available(tag));
        counts[tag] -= count;
    }

    long look(int tag) {
        check(tag);
        waits.looked();
        return available(tag);
    }

    long take(int tag) {
        long available = look(tag);
        counts[tag] -= available;
        return available;
    }

    /** Number of tags with {@code each} notifications. */
    private long ready(int first, int tags, long each) {
        long ready = 0;
        for (int tag = first; tag < first + tags; tag++) {
            ready += available(tag) - each >= 0 ? 1 : 0;
        }
        return ready;
    }

    /** Consumes one of the lowest tag that has some; -1 if none has. */
    private int takeLowest(int first, int tags) {
        for (int tag = first; tag < first + tags; tag++) {
            if (available(tag) > 0) {
                counts[tag]--;
                return tag;
            }
        }
        return -1;
    }

    int awaitAny(int first, int tags) {
        check(first, tags);
        waits.await(BlockFailure.LATE_TAGS, first, 1, () -> ready(first, tags, 1));
        return takeLowest(first, tags);
    }

    int testAny(int first, int tags) {
        check(first, tags);
        int tag = takeLowest(first, tags);
        if (tag < 0) {
            waits.looked();
        }
        return tag;
    }

    int awaitSome(int first, int tags, long[] taken) {
        check(first, tags);
        waits.looked();
        waits.await(BlockFailure.LATE_TAGS, first, 1, () -> ready(first, tags, 1));
        int some = 0;
        for (int i = 0; i < tags; i++) {
            taken[i] = available(first + i);
            counts[first + i] -= taken[i];
            some += taken[i] > 0 ? 1 : 0;
        }
        return some;
    }

    void awaitAll(int first, int tags, long count) {
        check(first, tags);
        checkCount(first, count);
        waits.await(BlockFailure.LATE_TAGS, first, tags, () -> ready(first, tags, count));
        for (int tag = first; tag < first + tags; tag++) {
            counts[tag] -= count;
        }
    }
}
