package org.pgas4j.kernel;

/** An operation of reductions over a warp or a block: a constant of {@code org.pgas4j.ReduceOp}, which alone kernels know. */
public interface BlockReduction {

    /** {@code a op b} of two integers. */
    long apply(long a, long b);

    /** {@code a op b} of two real numbers. */
    double apply(double a, double b);
}
