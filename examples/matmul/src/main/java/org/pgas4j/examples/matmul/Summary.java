package org.pgas4j.examples.matmul;

import java.util.Comparator;
import java.util.List;

/**
 * What came out.
 *
 * @param setup          what was measured
 * @param iterations     number of iterations
 * @param median         the iteration with the median total
 * @param best           the iteration with the shortest total
 * @param relativeError  the largest of all iterations; NaN if not checked
 * @param tolerance      what it may be; NaN if not checked
 * @param method         how it was checked
 * @param library        rate of the plain library on one device
 */
record Summary(Setup setup, int iterations, Iteration median, Iteration best, double relativeError, double tolerance,
               String method, LibraryRate library) {

    static Summary of(List<Iteration> measured, Setup setup, double tolerance, String method, LibraryRate library) {
        List<Iteration> byTotal = measured.stream().sorted(Comparator.comparingDouble(Iteration::totalMs)).toList();
        double worst = 0;
        for (Iteration iteration : measured) {
            worst = Math.max(worst, iteration.relativeError());   // NaN wins
        }
        return new Summary(setup, measured.size(), byTotal.get((byTotal.size() - 1) / 2), byTotal.getFirst(), worst,
                tolerance, method, library);
    }

    /** True if C was checked. */
    boolean checked() {
        return !Double.isNaN(tolerance);
    }

    /** True if C was checked and is wrong; a NaN in C is wrong. */
    boolean failed() {
        return checked() && !(relativeError <= tolerance);
    }

    /** Share of what all devices would reach with the plain library and no communication. */
    double ratio() {
        return median.gflops() / (library.median() * setup.devices());
    }

    /** The same by the best iterations of both: what remains of it on a machine that others use as well. */
    double bestRatio() {
        return best.gflops() / (library.best() * setup.devices());
    }
}
