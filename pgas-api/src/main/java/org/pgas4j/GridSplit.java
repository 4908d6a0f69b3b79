package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * Some of the blocks of a communicator, with barriers and collectives of their own: what
 * {@code pgas_split_create} gives a block of a GPU; the operations with a {@link Buffer} are for a {@link GridKernel}. All members call the same collectives in the same order. A collective returns
 * when this block's part is done and its source may change. Waits end with the launch's deadline. Used by the block's threads, all together.
 *
 * <p>Data moves in rounds through stages in the memory of the split: a broadcast takes as many bytes in a round as a stage has, the
 * others that number divided by the members. Reductions combine the elements in the order of the members, so that the result is the
 * same in every run. Elements are INT, LONG, FLOAT or DOUBLE; bit operations are for integers.
 */
public interface GridSplit {

    /** This block's number among the members; -1 if it is not one. */
    int rank();

    /** Number of members; 0 for a block that is not one. */
    int ranks();

    /** Rank of a member in the communicator that was split. */
    int member(int rank);

    /** Waits for all members; what each wrote to the others before is seen after. */
    void barrier();

    /** Copies {@code data} of member {@code root} to that of all others; its size is the same everywhere. */
    void broadcast(int root, MemorySegment data);

    /** As {@link #broadcast(int, MemorySegment)}. */
    default void broadcast(int root, Buffer data) {
        broadcast(root, data.inKernel());
    }

    /** Copies {@code bytes} bytes from each member to each: member i's part j becomes member j's part i. They must not overlap. */
    void allToAll(MemorySegment dst, MemorySegment src, long bytes);

    /** As {@link #allToAll(MemorySegment, MemorySegment, long)}. */
    default void allToAll(Buffer dst, Buffer src, long bytes) {
        allToAll(dst.inKernel(), src.inKernel(), bytes);
    }

    /** Combines the elements of all members at {@code root}; the others' {@code dst} is not used. It may be the source. */
    void reduce(int root, MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op);

    /** As {@link #reduce(int, MemorySegment, MemorySegment, ElementType, ReduceOp)}; all elements of {@code src}. */
    default void reduce(int root, Buffer dst, Buffer src, ElementType type, ReduceOp op) {
        reduce(root, dst.inKernel(), src.inKernel(), type, op);
    }

    /** Combines the elements of all members at each. {@code dst} may be the source. */
    void allReduce(MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op);

    /** As {@link #allReduce(MemorySegment, MemorySegment, ElementType, ReduceOp)}; all elements of {@code src}. */
    default void allReduce(Buffer dst, Buffer src, ElementType type, ReduceOp op) {
        allReduce(dst.inKernel(), src.inKernel(), type, op);
    }

    /** Combines at each member the elements of those up to it, itself included. {@code dst} may be the source. */
    void scan(MemorySegment dst, MemorySegment src, ElementType type, ReduceOp op);

    /** As {@link #scan(MemorySegment, MemorySegment, ElementType, ReduceOp)}; all elements of {@code src}. */
    default void scan(Buffer dst, Buffer src, ElementType type, ReduceOp op) {
        scan(dst.inKernel(), src.inKernel(), type, op);
    }

    /** Frees the split; a barrier of the communicator, all of whose blocks take part. */
    void free();
}
