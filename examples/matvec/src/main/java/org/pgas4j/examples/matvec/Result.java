package org.pgas4j.examples.matvec;

import java.util.Arrays;

/**
 * What a measurement gave.
 *
 * @param ns    time of each run on this rank; rank 0 is the client
 * @param wrong values of the client's results, of all runs, that differ from the reference; -1 if not verified
 * @param cpuNs processor time of the rank's thread in all measured runs
 */
public record Result(long[] ns, long wrong, long cpuNs) {

    /** False if a result is wrong; true if all are right or were not verified. */
    public boolean correct() {
        return wrong <= 0;
    }

    /** Million products a second in the median run; to be asked of rank 0's result. */
    public double millionPerSecond(Settings settings) {
        long[] sorted = ns.clone();
        Arrays.sort(sorted);
        return 1e3 * settings.vectors() * settings.batches() / sorted[sorted.length / 2];
    }
}
