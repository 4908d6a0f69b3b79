package org.pgas4j.examples.matmul;

import java.util.List;

/**
 * Rate of the plain library on one device in 10^9 operations a second; both 0 if not measured.
 *
 * @param median by the median of its times
 * @param best   by the shortest of its times
 */
record LibraryRate(double median, double best) {

    static final LibraryRate NONE = new LibraryRate(0, 0);

    /** From the milliseconds of n x n x n products. */
    static LibraryRate of(long n, List<Double> times) {
        List<Double> sorted = times.stream().sorted().toList();
        return new LibraryRate(Iteration.gflops(n, sorted.get((sorted.size() - 1) / 2)),
                Iteration.gflops(n, sorted.getFirst()));
    }

    boolean measured() {
        return median > 0;
    }
}
