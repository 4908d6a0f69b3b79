package org.pgas4j.kernel;

/** An operation on an element of memory of a block: a constant of {@code org.pgas4j.AtomicOp}, the only one that kernels know. */
public interface AtomicOperation {

    /** The integer that the operation leaves of {@code old}. */
    long combine(long old, long operand);

    /** The real number that the operation leaves of {@code old}. */
    double combine(double old, double operand);

    /** True if the operation takes a comparand, too. */
    boolean hasComparand();
}
