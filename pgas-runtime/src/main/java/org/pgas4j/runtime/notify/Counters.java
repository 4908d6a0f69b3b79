package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.Notifications;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.memory.ControlArea;

/**
 * Notifications of one rank: those that have arrived, and those consumed. Counters run on for ever and wrap around: only
 * differences mean anything. Arrivals may be read by any thread, consumption is the rank's.
 */
public final class Counters {

    private final int rank;
    private final Endpoint own;
    private final ControlArea area;
    private final long[] consumed = new long[Notifications.TAGS];

    /** @param own the rank's own host segment */
    public Counters(int rank, Endpoint own, ControlArea area) {
        this.rank = rank;
        this.own = own;
        this.area = area;
    }

    static void checkTag(int tag) {
        if (tag < 0 || tag >= Notifications.TAGS) {
            throw new IllegalArgumentException("tag out of range: tag=" + tag + " (expected: 0.." + (Notifications.TAGS - 1)
                    + ")");
        }
    }

    static void checkCount(int tag, long count) {
        checkTag(tag);
        if (count < 0 || count > Notifications.MAX_COUNT) {
            throw new IllegalArgumentException("count of notifications: tag=" + tag + " count=" + count + " (expected: 0.."
                    + Notifications.MAX_COUNT + ")");
        }
    }

    int rank() {
        return rank;
    }

    /** Arrived and not consumed; negative if more is reserved than has arrived. */
    long available(int tag) {
        return own.getWordAcquire(area.notification(tag)) - consumed[tag];
    }

    /** Consumes; what the counter of arrivals has to reach for that. */
    long reserve(int tag, long count) {
        consumed[tag] += count;
        return consumed[tag];
    }

    /** Number that is missing until the counter of arrivals is {@code target}; 0 or less if it has been reached. Any thread. */
    long missing(int tag, long target) {
        return missingAt(area.notification(tag), target);
    }

    /** As {@link #missing}, of a counter at an offset of the rank's host segment. Any thread. */
    long missingAt(long word, long target) {
        return target - own.getWordAcquire(word);
    }

    /** Counts as arrived what nobody waits for any more. */
    void arrive(int tag, long count) {
        arriveAt(area.notification(tag), count);
    }

    /** As {@link #arrive}, at a counter at an offset of the rank's host segment. */
    void arriveAt(long word, long count) {
        own.fetchAndAddWord(word, count);
    }

    /** The memory the counters are in, and where there. */
    MemorySegment memory() {
        return own.mapped();
    }

    long offset(int tag) {
        return area.notification(tag);
    }

    /** Offset of the value of a tag. */
    long valueOffset(int tag) {
        return area.notificationValue(tag);
    }

    /** Sets a value that is not set. */
    void setValue(int tag, long value) {
        own.compareAndSetWord(area.notificationValue(tag), 0, value);
    }

    long value(int tag) {
        return own.getWordAcquire(area.notificationValue(tag));
    }

    long takeValue(int tag) {
        long offset = area.notificationValue(tag);
        while (true) {
            long value = own.getWordAcquire(offset);
            if (value == 0 || own.compareAndSetWord(offset, value, 0)) {
                return value;
            }
        }
    }

    NotificationTimeoutException timeout(int tag, long expected, long seen, String what, long timeoutNs) {
        return new NotificationTimeoutException(rank, -1, -1, tag, expected, seen, late(what, timeoutNs));
    }

    /** Text of an exception for a wait that passed its deadline. */
    static String late(String what, long timeoutNs) {
        return what + " timed out after " + Duration.ofNanos(timeoutNs).toMillis()
                + " ms; raise pgas.timeout, or the wait's own, if that is too short";
    }
}
