package org.pgas4j.examples.himeno;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;

/** A block program for all iterations: the example's own, or another to compare it with. */
@FunctionalInterface
public interface HimenoLaunch {

    /**
     * Launches it on a rank's blocks; returns when queued.
     *
     * @param pressure     the rank's shared memory of two pressure fields; the first is the older at the start
     * @param coefficients fields a0..a3, b0..b2, c0..c2, bnd, wrk1
     * @param sums         receives each block's sum of squared residuals of the last iteration, doubles
     */
    void launch(DeviceGrid grid, Buffer pressure, Buffer coefficients, Buffer sums, HimenoPart part, int iterations);
}
