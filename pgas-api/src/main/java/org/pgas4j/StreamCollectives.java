package org.pgas4j;

/**
 * Collective operations of a team that are queued on streams of its members, done by their devices alone, and not waited
 * for by hosts; {@link Collectives#onStreams()} makes them. A member's part is done in the order of its stream: what was
 * queued before has happened, and what is queued behind sees the result. {@link Stream#capture} may write the operations
 * down, and each launch of the graph does them again.
 *
 * <p>All members queue the same operations in the same order, each on streams that do them one after the other: on one
 * stream, or on several that wait for each other's events. <b>Buffers</b> are in the shared device memory of the calling
 * rank, at the same place of it on every member, as those of collective allocations are, and stay untouched by others until
 * the operation is done. Results are those of the operations of {@link Collectives} of the same name, bit by bit. The race
 * detector of {@code pgas.check=full} knows that they order the members, but does not see the memory they use. Used by the
 * rank's thread.
 *
 * <p><b>Calls that differ</b> in operation, type, number of elements, {@link ReduceOp} or root are a {@link
 * CollectiveMismatchException} that names the first two: of {@link Stream#sync}, of a barrier or fence that completes the
 * stream, of {@link Stream#isIdle} of a stream that is through, or of {@link #close}. Hosts do not meet where a call is
 * queued. A member compares its calls with those that others have queued until then, before it waits and after; those of a
 * graph are queued by each launch. Members that differ by more than 127 calls compare later, and the exception may lack the
 * two calls. A call that another member never queues is waited for until the deadline of {@link Stream#sync}, whose
 * exception names it. A wait of a device for a member ends with an error of the stream after twice {@link Rank#timeout}.
 */
public interface StreamCollectives extends AutoCloseable {

    /** A barrier: later work on the stream begins when the streams of all members have come here. */
    void barrier(Stream stream);

    /** See {@link Collectives#broadcast(Buffer, int)}. */
    void broadcast(Stream stream, Buffer buffer, int root);

    /** See {@link Collectives#allGather(Buffer, Buffer)}. */
    void allGather(Stream stream, Buffer dst, Buffer src);

    /** See {@link Collectives#exchange(Buffer, Buffer)}. */
    void exchange(Stream stream, Buffer dst, Buffer src);

    /** See {@link Collectives#allReduce(Buffer, Buffer, Reduction)}. */
    void allReduce(Stream stream, Buffer dst, Buffer src, ReduceOp op);

    /** See {@link Collectives#reduceScatter(Buffer, Buffer, Reduction)}. */
    void reduceScatter(Stream stream, Buffer dst, Buffer src, ReduceOp op);

    /**
     * Copies part i of member {@code root}'s source to member i's destination. As the three that follow it takes {@link
     * StreamForm#COPIES}, or WORDS, for all sizes.
     *
     * @param src as many parts of {@code dst.length()} elements as there are members; given by all, read at the root
     */
    void scatter(Stream stream, Buffer dst, Buffer src, int root);

    /**
     * Copies every member i's source to part i of member {@code root}'s destination.
     *
     * @param dst as many parts of {@code src.length()} elements as there are members; given by all, written at the root
     */
    void gather(Stream stream, Buffer dst, Buffer src, int root);

    /**
     * Combines the sources of all members, element by element, into the destination of member {@code root}.
     *
     * @param dst given by all, written at the root
     */
    void reduce(Stream stream, Buffer dst, Buffer src, ReduceOp op, int root);

    /** See {@link Collectives#scan(Buffer, Buffer, Reduction)}. */
    void scan(Stream stream, Buffer dst, Buffer src, ReduceOp op);

    /**
     * The forms that operations take, by sizes, and the origin of the table as text: a profile that {@code scripts/bench
     * tune} has measured, built-in sizes, or the reason why a slower form is taken.
     */
    String explain();

    /**
     * Gives the memory of its words back. Collective over the team; the operations on all streams are complete. {@link
     * ExceptionalExit On the way of an exception} it waits for no other member, and the memory stays taken until the job ends.
     */
    @Override
    void close();
}
