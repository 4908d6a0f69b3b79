package org.pgas4j.examples.matmul;

import java.util.Comparator;
import java.util.List;

/**
 * Result of a measurement.
 *
 * @param products    measured, at least one
 * @param baselinesMs milliseconds of as many products by the plain library on one device; zeros if not measured
 * @param devices     number of devices
 * @param tolerance   largest relative error of a correct product; NaN if not checked
 * @param method      of the check: full, sparse, probes or none
 */
record MatmulSummary(List<Iteration> products, List<Double> baselinesMs, int devices, double tolerance, String method) {

    /**
     * One measured product.
     *
     * @param number        from 1
     * @param n             rows and columns
     * @param computeMs     longest time that a rank's device multiplied
     * @param totalMs       from barrier to barrier
     * @param relativeError in the Frobenius norm; NaN if not checked
     */
    record Iteration(int number, long n, double computeMs, double totalMs, double relativeError) {

        double communicationMs() {
            return totalMs - computeMs;
        }

        /** 10^9 operations a second over the total. */
        double gflops() {
            return MatmulSummary.gflops(n, totalMs);
        }
    }

    private static double gflops(long n, double ms) {
        return 2.0 * n * n * n / (ms * 1e6);
    }

    /** The product with the median total. */
    Iteration median() {
        return byTotal().get((products.size() - 1) / 2);
    }

    private List<Iteration> byTotal() {
        return products.stream().sorted(Comparator.comparingDouble(Iteration::totalMs)).toList();
    }

    /** The largest; NaN if one is. */
    double relativeError() {
        return products.stream().mapToDouble(Iteration::relativeError).reduce(0, Math::max);
    }

    boolean checked() {
        return !Double.isNaN(tolerance);
    }

    /** True if C was checked and is wrong; a NaN in C is wrong. */
    boolean failed() {
        return checked() && !(relativeError() <= tolerance);
    }

    boolean hasBaseline() {
        return baselinesMs.getFirst() > 0;
    }

    /** Rate of the plain library by the median of its times. */
    double baselineGflops() {
        return gflops(products.getFirst().n(), baselinesMs.stream().sorted().toList().get((baselinesMs.size() - 1) / 2));
    }

    /** Share of the rate that all devices would reach with the plain library and no communication. */
    double ratio() {
        return median().gflops() / (baselineGflops() * devices);
    }

    /** The same by the best times of both, which are steadier on a machine that others use as well. */
    double bestRatio() {
        double best = gflops(products.getFirst().n(), baselinesMs.stream().sorted().toList().getFirst());
        return byTotal().getFirst().gflops() / (best * devices);
    }
}
