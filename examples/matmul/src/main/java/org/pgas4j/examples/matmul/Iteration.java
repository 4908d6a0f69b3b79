package org.pgas4j.examples.matmul;

/**
 * One measured product.
 *
 * @param number          from 1
 * @param computeMs       longest time a rank's device multiplied
 * @param communicationMs {@code totalMs - computeMs}
 * @param totalMs         from barrier to barrier
 * @param gflops          10^9 operations a second over the total
 * @param relativeError   in the Frobenius norm; NaN if not checked
 */
record Iteration(int number, double computeMs, double communicationMs, double totalMs, double gflops,
                 double relativeError) {

    static Iteration of(int number, long n, double computeMs, double totalMs, double relativeError) {
        return new Iteration(number, computeMs, totalMs - computeMs, totalMs, gflops(n, totalMs), relativeError);
    }

    /** Rate of an n x n x n product: {@code 2 n^3} operations. */
    static double gflops(long n, double ms) {
        return 2.0 * n * n * n / (ms * 1e6);
    }
}
