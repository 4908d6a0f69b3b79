package org.pgas4j.bootstrap;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Counts refusals and logs at most 20 a second; the next line has the number of those that were left out. One thread.
 */
final class RefusalLog {

    static final int LINES_PER_SECOND = 20;

    private static final long SECOND_NS = 1_000_000_000L;

    private final Map<Refusal, Long> counts = new EnumMap<>(Refusal.class);
    private final Consumer<String> lines;
    private volatile long total;
    private long windowStartNs;
    private int linesInWindow;
    private long leftOut;

    RefusalLog(Consumer<String> lines) {
        this.lines = lines;
    }

    void refused(Refusal reason, Object from, long nowNs) {
        counts.merge(reason, 1L, Long::sum);
        total = total + 1; // one writer: the event loop
        if (linesInWindow == 0 || nowNs - windowStartNs >= SECOND_NS) {
            windowStartNs = nowNs;
            linesInWindow = 0;
        }
        if (linesInWindow == LINES_PER_SECOND) {
            leftOut++;
            return;
        }
        linesInWindow++;
        String more = leftOut == 0 ? "" : " (and " + leftOut + " more since)";
        leftOut = 0;
        lines.accept("pgas4j: refused a connection from " + from + ": " + reason.message() + more);
    }

    /** Any thread. */
    long total() {
        return total;
    }

    long count(Refusal reason) {
        return counts.getOrDefault(reason, 0L);
    }
}
