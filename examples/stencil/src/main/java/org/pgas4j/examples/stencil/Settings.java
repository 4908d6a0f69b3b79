package org.pgas4j.examples.stencil;

import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Options;

/**
 * What is to be run, the same on all ranks.
 *
 * @param style      who exchanges halos, and how
 * @param isize      points in a row
 * @param jsize      rows of each rank
 * @param levels     of the domain
 * @param steps      of a run
 * @param blocks     of each rank
 * @param threads    of a block, a multiple of 32
 * @param proxy      blocks of different ranks reach each other through the host only
 * @param checkSteps steps compared with the CPU before the first run
 * @param warmup     runs before those measured
 * @param runs       runs measured
 */
public record Settings(Style style, int isize, int jsize, int levels, int steps, int blocks, int threads, boolean proxy,
                       int checkSteps, int warmup, int runs) {

    public Settings {
        Options.inRange("--i", isize, 2 * Domain.HALO + 1, 1 << 14);
        Options.inRange("--j", jsize, 2 * Domain.HALO, 1 << 14);
        Options.inRange("--levels", levels, 1, 1 << 10);
        Options.inRange("--steps", steps, 1, Integer.MAX_VALUE);
        Options.inRange("--blocks", blocks, 1, jsize / Domain.HALO);
        Options.threads(threads);
        Options.inRange("--check-steps", checkSteps, 0, 1000);
        Options.inRange("--warmup", warmup, 0, Integer.MAX_VALUE);
        Options.inRange("--runs", runs, 1, Integer.MAX_VALUE);
        if ((long) isize * (jsize + 2 * Domain.HALO) * levels > 1 << 29) {
            throw new UsageException("--i " + isize + " --j " + jsize + " --levels " + levels
                    + ": too large (expected: at most 2^29 points on a rank)");
        }
    }
}
