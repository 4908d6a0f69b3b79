package org.pgas4j.examples.halo;

/**
 * What a measurement gave.
 *
 * @param ns    time of each run on this rank
 * @param wrong values of all boxes, after each run, that are not the reference's to the last bit; -1 if not verified
 * @param cpuNs processor time of the rank's thread in all measured runs
 */
public record Result(long[] ns, long wrong, long cpuNs) {

    /** False if a value is wrong; true if all are right or were not verified. */
    public boolean correct() {
        return wrong <= 0;
    }
}
