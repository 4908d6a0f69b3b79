package org.pgas4j.examples.stencil;

import org.pgas4j.UsageException;

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

    private static final int WARP = 32;

    public Settings {
        inRange("--i", isize, 2 * Domain.HALO + 1, 1 << 14);
        inRange("--j", jsize, 2 * Domain.HALO, 1 << 14);
        inRange("--levels", levels, 1, 1 << 10);
        inRange("--steps", steps, 1, Integer.MAX_VALUE);
        inRange("--blocks", blocks, 1, jsize / Domain.HALO);
        inRange("--threads", threads, WARP, 1024);
        inRange("--check-steps", checkSteps, 0, 1000);
        inRange("--warmup", warmup, 0, Integer.MAX_VALUE);
        inRange("--runs", runs, 1, Integer.MAX_VALUE);
        if (threads % WARP != 0) {
            throw new UsageException("--threads " + threads + " (expected: a multiple of " + WARP + ")");
        }
        if ((long) isize * (jsize + 2 * Domain.HALO) * levels > 1 << 29) {
            throw new UsageException("--i " + isize + " --j " + jsize + " --levels " + levels
                    + ": too large (expected: at most 2^29 points on a rank)");
        }
    }

    private static void inRange(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new UsageException(option + " " + value + " (expected: " + least + ".." + most + ")");
        }
    }
}
