package org.pgas4j;

/**
 * The operations of {@link Collectives}, started and not waited for. Several may be in flight; all members start the same
 * ones in the same order, which is the order in which they are done. They make progress in calls of their handles, and
 * while the rank waits for anything else. Buffers and shared memory must stay untouched until the handle is complete. A
 * call that differs from those of other members is a {@link CollectiveMismatchException} of the handle. Blocking collective
 * operations of the team first complete those in flight; barriers of all ranks do not.
 */
public interface NonBlockingCollectives {

    /** See {@link Collectives#broadcast(SharedPointer, SharedPointer, long)}. */
    Handle broadcast(SharedPointer dst, SharedPointer src, long bytes);

    /** See {@link Collectives#scatter(SharedPointer, SharedPointer, long)}. */
    Handle scatter(SharedPointer dst, SharedPointer src, long bytes);

    /** See {@link Collectives#gather(SharedPointer, SharedPointer, long)}. */
    Handle gather(SharedPointer dst, SharedPointer src, long bytes);

    /** See {@link Collectives#allGather(SharedPointer, SharedPointer, long)}. */
    Handle allGather(SharedPointer dst, SharedPointer src, long bytes);

    /** See {@link Collectives#exchange(SharedPointer, SharedPointer, long)}. */
    Handle exchange(SharedPointer dst, SharedPointer src, long bytes);

    /** See {@link Collectives#permute(SharedPointer, SharedPointer, SharedPointer, long)}. */
    Handle permute(SharedPointer dst, SharedPointer src, SharedPointer permutation, long bytes);

    /** See {@link Collectives#reduce(SharedPointer, SharedPointer, ElementType, long, Reduction)}. */
    Handle reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, Reduction op);

    /**
     * See {@link Collectives#reduce(SharedPointer, SharedArray, Reduction)}. A rank combines its elements in one of the calls in
     * which the operation makes progress, when all have started it.
     */
    Handle reduce(SharedPointer dst, SharedArray src, Reduction op);

    /** See {@link Collectives#prefixReduce(SharedArray, SharedArray, Reduction)}; progress as of {@code reduce} of an array. */
    Handle prefixReduce(SharedArray dst, SharedArray src, Reduction op);

    /**
     * Starts a barrier of the team ({@code MPI_Ibarrier}): the handle is complete when all members have started theirs and what
     * they had put before is at its targets. Unlike {@link Collectives#beginBarrier()} it is there for parts of the ranks too, and
     * other collective operations may be started meanwhile. Completes this rank's transfers, and waits for no other rank.
     */
    Handle barrier();

    /** See {@link Collectives#broadcast(Buffer, int)}. */
    Handle broadcast(Buffer buffer, int root);

    /** See {@link Collectives#scatter(Buffer, Buffer, int)}. */
    Handle scatter(Buffer dst, Buffer src, int root);

    /** See {@link Collectives#gather(Buffer, Buffer, int)}. */
    Handle gather(Buffer dst, Buffer src, int root);

    /** See {@link Collectives#allGather(Buffer, Buffer)}. */
    Handle allGather(Buffer dst, Buffer src);

    /** See {@link Collectives#exchange(Buffer, Buffer)}. */
    Handle exchange(Buffer dst, Buffer src);

    /** See {@link Collectives#exchange(Buffer, long[], Buffer, long[])}. */
    Handle exchange(Buffer dst, long[] dstCounts, Buffer src, long[] srcCounts);

    /** See {@link Collectives#reduce(Buffer, Buffer, Reduction, int)}. */
    Handle reduce(Buffer dst, Buffer src, Reduction op, int root);

    /** See {@link Collectives#allReduce(Buffer, Buffer, Reduction)}. */
    Handle allReduce(Buffer dst, Buffer src, Reduction op);

    /** See {@link Collectives#reduceScatter(Buffer, Buffer, Reduction)}. */
    Handle reduceScatter(Buffer dst, Buffer src, Reduction op);

    /** See {@link Collectives#scan(Buffer, Buffer, Reduction)}. */
    Handle scan(Buffer dst, Buffer src, Reduction op);
}
