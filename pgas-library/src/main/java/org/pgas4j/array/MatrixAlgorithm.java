package org.pgas4j.array;

/** How ranks share the work of a product of global matrices, {@code c = alpha * a * b + beta * c}. */
public enum MatrixAlgorithm {

    /**
     * Each rank computes its own elements of c and reads the parts of a and b that it needs while its device multiplies those
     * before, beginning with what it owns, which stays where it is: SUMMA of R. van de Geijn and J. Watts (1997) with one-sided
     * reads, as in SRUMMA of M. Krishnan and J. Nieplocha (2004). On one row or column of ranks it gathers one of the operands. The
     * order of additions depends on the distributions alone; results of 16-bit floats are rounded once for each part of the inner
     * dimension that other ranks own.
     */
    PULL,

    /**
     * Each rank multiplies its share of the inner dimension for all of c, some rows at a time, while those before are on their way:
     * for long inner dimensions, and nothing is read where a lies in columns and b in rows like them. Where c is in device memory,
     * one block for each rank, sums pass from rank to rank to their owner, and the order of additions depends on the number of
     * ranks alone; results of 16-bit floats are rounded once for each rank. Elsewhere rows are added to c, in an order that differs
     * from run to run, so that sums of floating-point numbers may differ in their last bits; c has no 16-bit floats there.
     */
    REDUCE,

    /**
     * SUMMA of R. van de Geijn and J. Watts (1997) on a grid of ranks over which a's rows lie as c's rows and b's columns as c's
     * columns, in blocks or block-cyclic: a rank needs the rows of its row of the grid and the columns of its column, panel by
     * panel of the inner dimension, and multiplies each with one call for all of its c, however small the blocks are. Panels are
     * read one-sidedly from their owners while the device multiplies the one before; ranks begin with different ones, so that an
     * owner serves one rank of its row or column at a time. The order of additions depends on the distributions alone; results of
     * 16-bit floats are rounded once for each panel.
     */
    SUMMA,

    /**
     * The algorithm of L. Cannon (1969) on a square grid of ranks, on which the inner dimension lies alike in a and in b: each
     * rank passes what it multiplies on to its neighbours meanwhile, a's part to the left and b's upwards. Only the first parts
     * come from other ranks than neighbours. Order and rounding as of {@link #SUMMA}.
     */
    CANNON
}
