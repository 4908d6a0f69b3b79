package org.pgas4j;

/**
 * Collective operations, O(log n) in the number of ranks. Every rank calls them in the same order; each is a barrier as
 * {@link Rank} says. Used by the rank's thread.
 */
public interface Collectives {

    /**
     * Copies {@code bytes} bytes from {@code src} to address {@code dst.addrField()} of every rank's segment of
     * {@code dst.kind()} ({@code upc_all_broadcast}); {@code dst} may point to any rank. A barrier at its begin and at its end.
     */
    void broadcast(SharedPointer dst, SharedPointer src, long bytes);

    /**
     * Returns the value of rank {@code root} on every rank.
     *
     * @throws CollectiveMismatchException on every rank, if a rank gives another root
     */
    long broadcast(long value, int root);

    /**
     * Copies {@code bytes} bytes at {@code src.addrField()} of every rank r to {@code dst + r * bytes} on
     * {@code dst.rank()} ({@code upc_all_gather}); {@code src} may point to any rank. A barrier at its begin and at its end.
     */
    void gather(SharedPointer dst, SharedPointer src, long bytes);

    /**
     * Combines {@code count} elements at {@code src.addrField()} of every rank, element by element, in the order of a
     * binomial tree that depends on the number of ranks alone, and puts the result at {@code dst}; {@code src} may point to any
     * rank. A barrier at its begin and at its end.
     */
    void reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, ReduceOp op);

    /**
     * Makes teams of the ranks that give the same {@code color}, in the order of their numbers. Collective over all ranks.
     *
     * @return the team of this rank
     */
    Team split(int color);

    /**
     * Starts a split-phase barrier ({@code upc_notify}); never blocks for other ranks. Includes a fence. The next collective
     * operation of this rank must be {@link #endBarrier}.
     */
    void beginBarrier();

    /** As {@link #beginBarrier()}, with a label as of {@link Rank#barrier(int)}. */
    void beginBarrier(int label);

    /** Ends a split-phase barrier ({@code upc_wait}): returns when every rank has begun it. */
    void endBarrier();

    /** As {@link #endBarrier()}, with a label. */
    void endBarrier(int label);
}
