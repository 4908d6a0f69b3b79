package org.pgas4j.examples.himeno;

/**
 * What a measurement gave.
 *
 * @param ns            time of each run on this rank
 * @param gosa          sum of the squared residuals of the last iteration
 * @param expected      what {@link Reference} says; NaN if not verified
 * @param pressureError largest difference of a pressure from the reference's; NaN if not verified
 * @param published     what {@link Published} says; NaN if it says nothing
 * @param cpuNs         processor time of the rank's thread in all runs
 */
public record Result(long[] ns, double gosa, double expected, double pressureError, double published, long cpuNs) {

    /** Devices fuse multiplications and additions, the reference does not. */
    private static final double GOSA_TOLERANCE = 1e-3;
    private static final double PRESSURE_TOLERANCE = 1e-5;

    /** False if the numbers are wrong; true if they are right or were not verified. */
    public boolean correct() {
        boolean asPublished = Double.isNaN(published) || Math.abs(gosa - published) <= Published.TOLERANCE * published;
        return asPublished && (Double.isNaN(expected)
                || Math.abs(gosa - expected) <= GOSA_TOLERANCE * expected && pressureError <= PRESSURE_TOLERANCE);
    }
}
