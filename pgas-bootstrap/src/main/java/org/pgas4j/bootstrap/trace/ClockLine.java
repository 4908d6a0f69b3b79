package org.pgas4j.bootstrap.trace;

import java.util.List;

/**
 * Time of the job from the local time of a JVM: a line through the offsets that were measured first and last. Before and after
 * them the nearer offset holds.
 */
final class ClockLine {

    private final TimeOffset first;
    private final TimeOffset last;

    /** @param offsets in the order of their times, at least one */
    ClockLine(List<TimeOffset> offsets) {
        first = offsets.getFirst();
        last = offsets.getLast();
    }

    /** The job's time, nanoseconds. */
    long jobNs(long localNs) {
        long spanNs = last.localNs() - first.localNs();
        if (spanNs <= 0 || localNs <= first.localNs()) {
            return localNs + first.offsetNs();
        }
        if (localNs >= last.localNs()) {
            return localNs + last.offsetNs();
        }
        double share = (double) (localNs - first.localNs()) / spanNs;
        return localNs + first.offsetNs() + Math.round((last.offsetNs() - first.offsetNs()) * share);
    }

    /** Bound of the error, nanoseconds, for clocks that drift apart evenly. */
    long errorNs() {
        return Math.max(first.errorNs(), last.errorNs());
    }
}
