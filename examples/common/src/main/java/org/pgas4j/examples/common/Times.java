package org.pgas4j.examples.common;

import java.util.Arrays;

/**
 * What the measured runs took.
 *
 * @param medianUs of a run, microseconds
 * @param minUs    the quickest, microseconds
 * @param maxUs    the slowest, microseconds
 * @param cpuUs    processor time of the rank's thread in a run, microseconds
 */
public record Times(double medianUs, double minUs, double maxUs, double cpuUs) {

    /** From the time of each run, at least one, and the processor time of all, ns. */
    public static Times of(long[] ns, long cpuNs) {
        long[] sorted = ns.clone();
        Arrays.sort(sorted);
        return new Times(sorted[sorted.length / 2] / 1e3, sorted[0] / 1e3, sorted[sorted.length - 1] / 1e3,
                cpuNs / 1e3 / sorted.length);
    }

    /** Of one of {@code parts} equal parts of a run. */
    public Times per(double parts) {
        return new Times(medianUs / parts, minUs / parts, maxUs / parts, cpuUs / parts);
    }
}
