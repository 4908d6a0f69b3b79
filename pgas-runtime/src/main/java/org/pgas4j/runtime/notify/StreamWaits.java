package org.pgas4j.runtime.notify;

import java.util.Arrays;
import org.pgas4j.PgasTimeoutException;

/** Notifications a stream waits for, oldest first. Used by the rank's thread. */
final class StreamWaits {

    private final Counters counters;
    private int[] tags = new int[16];
    private long[] words = new long[16]; // offsets in the rank's host segment
    private long[] counts = new long[16];
    private long[] targets = new long[16];
    private int first;
    private int end;

    StreamWaits(Counters counters) {
        this.counters = counters;
    }

    /**
     * Adds a wait.
     *
     * @param word   offset of the counter in the rank's host segment
     * @param target that the counter has to reach
     */
    void add(int tag, long word, long count, long target) {
        drop();
        if (end == tags.length) {
            if (first > end / 2) {
                move();
            } else {
                tags = Arrays.copyOf(tags, 2 * end);
                words = Arrays.copyOf(words, 2 * end);
                counts = Arrays.copyOf(counts, 2 * end);
                targets = Arrays.copyOf(targets, 2 * end);
            }
        }
        tags[end] = tag;
        words[end] = word;
        counts[end] = count;
        targets[end] = target;
        end++;
    }

    private void move() {
        System.arraycopy(tags, first, tags, 0, end - first);
        System.arraycopy(words, first, words, 0, end - first);
        System.arraycopy(counts, first, counts, 0, end - first);
        System.arraycopy(targets, first, targets, 0, end - first);
        end -= first;
        first = 0;
    }

    /** Forgets what has come. */
    private void drop() {
        while (first < end && counters.missingAt(words[first], targets[first]) <= 0) {
            first++;
        }
        if (first == end) {
            first = 0;
            end = 0;
        }
    }

    PgasTimeoutException late(PgasTimeoutException timeout, long timeoutNs) {
        drop();
        if (first == end) {
            return timeout;
        }
        long missing = counters.missingAt(words[first], targets[first]);
        PgasTimeoutException late = counters.timeout(tags[first], counts[first], Math.max(0, counts[first] - missing),
                "stream", timeoutNs);
        late.addSuppressed(timeout);
        return late;
    }

    void giveUp() {
        for (drop(); first < end; drop()) {
            counters.arriveAt(words[first], Math.max(0, counters.missingAt(words[first], targets[first])));
        }
    }
}
