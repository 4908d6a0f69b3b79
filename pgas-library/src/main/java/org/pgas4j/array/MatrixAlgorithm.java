package org.pgas4j.array;

/** How ranks share the work of a product of global matrices, {@code c = alpha * a * b + beta * c}. */
public enum MatrixAlgorithm {

    /**
     * Each rank computes its own elements of c, panel by panel of the inner dimension, and reads the parts of a and b that it
     * needs while its device multiplies the panel before: SUMMA of R. van de Geijn and J. Watts (1997) with one-sided reads, as in
     * SRUMMA of M. Krishnan and J. Nieplocha (2004). On one row or column of ranks it gathers one of the operands. The order of
     * additions depends on the distribution of c alone.
     */
    PULL,

    /**
     * Each rank multiplies its share of the inner dimension and adds the result to all of c, some rows at a time, while its device
     * multiplies the next ones: for long inner dimensions, and nothing is read where a lies in columns and b in rows like them.
     * The order of additions to c differs from run to run, so that sums of floating-point numbers may differ in their last bits.
     */
    REDUCE
}
