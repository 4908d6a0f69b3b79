package org.pgas4j;

/**
 * Collective operations of a team; {@link Rank#collectives()} has those of all ranks. Every member calls them in the same
 * order. Each is a barrier of the team as {@link Rank} says, if not {@link Sync} says less. Latency grows with the
 * logarithm of the number of members. Used by the rank's thread.
 *
 * <p><b>Roots and parts</b> are numbered by place in the team. <b>Pointer forms</b> are UPC's: sizes and address fields
 * must be the same on all members, and a pointer of which the description says so may point to any rank: the memory is at
 * its address field on every member. <b>Buffer forms</b> take memory that each member has by itself: shared or private, of
 * the host or of the rank's device. Lengths, types and kinds of memory must be the same on all members. A source and a
 * destination are the same memory or do not overlap; those of {@code exchange} do not overlap. When the call returns, the source may be reused and the destination of
 * the calling member is complete. Shared memory is read and written in place by the others; private memory is copied
 * through the shared heap of the host, or in reductions of device memory through that of the device. Work that streams of
 * the program do on the memory must be complete before the call.
 *
 * <p><b>Order of reductions.</b> Elements of members are combined in the order of a binary tree over the members, those of
 * scans from the first member to the last. The result depends on the number of members alone: not on arrival, memory, size
 * or place.
 */
public interface Collectives {

    // ---- UPC's, on shared pointers

    /**
     * Copies {@code bytes} bytes from {@code src} to address {@code dst.addrField()} of every member's segment of
     * {@code dst.kind()} ({@code upc_all_broadcast}); {@code dst} may point to any rank.
     */
    default void broadcast(SharedPointer dst, SharedPointer src, long bytes) {
        broadcast(dst, src, bytes, Sync.ALL);
    }

    /** As {@link #broadcast(SharedPointer, SharedPointer, long)}. */
    void broadcast(SharedPointer dst, SharedPointer src, long bytes, Sync sync);

    /**
     * Copies {@code bytes} bytes at {@code src + i * bytes} on {@code src.rank()} to {@code dst.addrField()} of member i
     * ({@code upc_all_scatter}); {@code dst} may point to any rank.
     */
    default void scatter(SharedPointer dst, SharedPointer src, long bytes) {
        scatter(dst, src, bytes, Sync.ALL);
    }

    /** As {@link #scatter(SharedPointer, SharedPointer, long)}. */
    void scatter(SharedPointer dst, SharedPointer src, long bytes, Sync sync);

    /**
     * Copies {@code bytes} bytes at {@code src.addrField()} of every member i to {@code dst + i * bytes} on
     * {@code dst.rank()} ({@code upc_all_gather}); {@code src} may point to any rank.
     */
    default void gather(SharedPointer dst, SharedPointer src, long bytes) {
        gather(dst, src, bytes, Sync.ALL);
    }

    /** As {@link #gather(SharedPointer, SharedPointer, long)}. */
    void gather(SharedPointer dst, SharedPointer src, long bytes, Sync sync);

    /**
     * Copies {@code bytes} bytes at {@code src.addrField()} of every member i to {@code dst.addrField() + i * bytes} of
     * every member ({@code upc_all_gather_all}); either may point to any rank.
     */
    default void allGather(SharedPointer dst, SharedPointer src, long bytes) {
        allGather(dst, src, bytes, Sync.ALL);
    }

    /** As {@link #allGather(SharedPointer, SharedPointer, long)}. */
    void allGather(SharedPointer dst, SharedPointer src, long bytes, Sync sync);

    /**
     * Copies {@code bytes} bytes at {@code src.addrField() + j * bytes} of every member i to {@code dst.addrField() + i *
     * bytes} of every member j ({@code upc_all_exchange}); either may point to any rank.
     */
    default void exchange(SharedPointer dst, SharedPointer src, long bytes) {
        exchange(dst, src, bytes, Sync.ALL);
    }

    /** As {@link #exchange(SharedPointer, SharedPointer, long)}. */
    void exchange(SharedPointer dst, SharedPointer src, long bytes, Sync sync);

    /**
     * Copies {@code bytes} bytes at {@code src.addrField()} of every member i to {@code dst.addrField()} of member p(i)
     * ({@code upc_all_permute}); both may point to any rank.
     *
     * @param permutation to element 0 of a shared array of 4-byte integers, p(0), p(1) ..., a permutation of the members'
     *        numbers
     * @throws IndexOutOfBoundsException if p(i) is no member, on member i
     */
    default void permute(SharedPointer dst, SharedPointer src, SharedPointer permutation, long bytes) {
        permute(dst, src, permutation, bytes, Sync.ALL);
    }

    /** As {@link #permute(SharedPointer, SharedPointer, SharedPointer, long)}. */
    void permute(SharedPointer dst, SharedPointer src, SharedPointer permutation, long bytes, Sync sync);

    /**
     * Combines {@code count} elements at {@code src.addrField()} of every member, element by element, and puts the result at
     * {@code dst}; {@code src} may point to any rank.
     *
     * @throws IllegalArgumentException if the operation is not defined for the type
     */
    default void reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, Reduction op) {
        reduce(dst, src, type, count, op, Sync.ALL);
    }

    /** As {@link #reduce(SharedPointer, SharedPointer, ElementType, long, Reduction)}. */
    void reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, Reduction op, Sync sync);

    // ---- UPC's, on whole shared arrays; teams of all ranks only

    /**
     * Combines all elements of an array or of a slice into one, which is put at {@code dst} ({@code upc_all_reduce}). Every
     * rank combines its own elements first, if the operation is commutative; else elements are combined in the order of
     * their indices, a range of them by each rank. Of these, 16 consecutive elements are combined from the first to the last,
     * the results of 256 such runs in the tree that a reduction combines members in, and the results of these tiles of 4096
     * elements as elements again, until there is one. Results of ranks are combined in the tree as well. The order depends on
     * the layout, the length and the number of ranks alone: arrays in host and in device memory give the same bits. Elements in
     * device memory are combined by the ranks' devices, which have room for 12 MiB each, if the operation is a {@link ReduceOp}
     * or a {@link Reduction function} that is translated, and the devices reach each other or each rank has its part in a row;
     * else on the host.
     *
     * @param dst memory of one element of {@code src.type()}, of any rank
     * @throws IllegalArgumentException if the operation is not defined for the type, the array is replicated, of records or has
     * no elements
     */
    default void reduce(SharedPointer dst, SharedArray src, Reduction op) {
        reduce(dst, src, op, Sync.ALL);
    }

    /**
     * As {@link #reduce(SharedPointer, SharedArray, Reduction)}. All have read the array when the call returns in any mode; the
     * result is there on {@code dst.rank()}, and on the others with {@code out} ALL alone.
     */
    void reduce(SharedPointer dst, SharedArray src, Reduction op, Sync sync);

    /**
     * Sets element i of {@code dst} to the combination of elements 0 to i of {@code src}, in the order of their indices
     * ({@code upc_all_prefix_reduce}). The arrays may be the same. Every rank has a range of indices, with runs and tiles as in
     * {@link #reduce(SharedPointer, SharedArray, Reduction)}. What comes before a run is combined with its elements one after the
     * other, and with the result of the run for what comes before the next; what comes before a tile with the result of the tile
     * for the next tile; what comes before a range is the ranks' results one after the other. So sums of floating-point numbers
     * may differ from those of a loop in the last bits, and are the same in host and in device memory. Devices combine as they do
     * for {@code reduce}.
     *
     * @throws IllegalArgumentException if lengths or types differ, the operation is not defined for the type or an array is
     * replicated or of records
     */
    default void prefixReduce(SharedArray dst, SharedArray src, Reduction op) {
        prefixReduce(dst, src, op, Sync.ALL);
    }

    /**
     * As {@link #prefixReduce(SharedArray, SharedArray, Reduction)}. Every rank writes elements of others, so {@code out} MY takes
     * as long as ALL; with NO, what this rank has written is there when the call returns.
     */
    void prefixReduce(SharedArray dst, SharedArray src, Reduction op, Sync sync);

    /**
     * Sorts the elements of an array into ascending order ({@code upc_all_sort}), floating-point values as {@link
     * Double#compare} orders them: sample sort after Blelloch et al., "A comparison of sorting algorithms for the
     * Connection Machine CM-2", SPAA 1991. Takes memory of the JVM for twice the rank's part.
     *
     * @throws IllegalArgumentException if the array is replicated or of records
     */
    default void sort(SharedArray array) {
        sort(array, Sync.ALL);
    }

    /** As {@link #sort(SharedArray)}; {@code out} as of {@link #prefixReduce(SharedArray, SharedArray, Reduction, Sync)}. */
    void sort(SharedArray array, Sync sync);

    /**
     * Sorts the elements of an array by a comparator of the program ({@code upc_all_sort} with a function). Stable: elements that
     * compare equal keep the order of their indices. Elements are compared on the host, wherever they are. Takes host memory for
     * about three times the rank's part, and 40 bytes more for each of its elements.
     *
     * <p>If the comparator throws on a member, that member throws the same, the others a {@link PgasException}, and the array is
     * as it was.
     *
     * @throws IllegalArgumentException if the array is replicated, or the order is not defined for its elements
     */
    default void sort(SharedArray array, SortOrder order) {
        sort(array, order, Sync.ALL);
    }

    /** As {@link #sort(SharedArray, SortOrder)}; {@code out} as of {@link #sort(SharedArray, Sync)}. */
    void sort(SharedArray array, SortOrder order, Sync sync);

    // ---- on buffers

    /** Copies the buffer of member {@code root} to those of all members. */
    void broadcast(Buffer buffer, int root);

    /**
     * Copies part i of member {@code root}'s source to member i's destination.
     *
     * @param src as many parts of {@code dst.length()} elements as there are members; of the root alone, null elsewhere
     */
    void scatter(Buffer dst, Buffer src, int root);

    /**
     * Copies every member i's source to part i of member {@code root}'s destination.
     *
     * @param dst as many parts of {@code src.length()} elements as there are members; of the root alone, null elsewhere
     */
    void gather(Buffer dst, Buffer src, int root);

    /**
     * Copies every member i's source to part i of every member's destination.
     *
     * @param dst as many parts of {@code src.length()} elements as there are members; its own part may be the source
     */
    void allGather(Buffer dst, Buffer src);

    /** Copies part j of every member i's source to part i of member j's destination; all parts are of equal length. */
    void exchange(Buffer dst, Buffer src);

    /**
     * As {@link #exchange(Buffer, Buffer)}, with parts of given lengths, one behind the other.
     *
     * @param dstCounts elements from each member
     * @param srcCounts elements for each member, which are what that member has in {@code dstCounts} for this one
     * @throws CollectiveMismatchException on a member whose count differs from the sender's
     */
    void exchange(Buffer dst, long[] dstCounts, Buffer src, long[] srcCounts);

    /**
     * Combines the sources of all members, element by element, into the destination of member {@code root}.
     *
     * @param dst of the root alone, null elsewhere
     */
    void reduce(Buffer dst, Buffer src, Reduction op, int root);

    /** Combines the sources of all members, element by element, into the destination of every member. */
    void allReduce(Buffer dst, Buffer src, Reduction op);

    /**
     * Combines the sources of all members, element by element; member i gets part i of the result.
     *
     * @param src as many parts of {@code dst.length()} elements as there are members
     */
    void reduceScatter(Buffer dst, Buffer src, Reduction op);

    /** Combines the sources of members 0 to i, element by element, into the destination of member i. */
    void scan(Buffer dst, Buffer src, Reduction op);

    /** The same operations, not waited for. */
    NonBlockingCollectives nonBlocking();

    /**
     * The same operations as work of streams. Collective over the team.
     *
     * @throws UnsupportedOperationException if not every member's device reaches the device memory of all others by itself:
     *         by pairs of GPUs with peer access, or on the host device
     */
    StreamCollectives onStreams();

    /**
     * As {@link #onStreams()}, performed in one form whatever the size: to measure, and to test. The same on all members.
     *
     * @throws UnsupportedOperationException also for a form that the members do not have: all but WORDS and AUTO need 2 to 8
     *         members, a GPU and a JVM for each or the host device, and memory of the shared device heap
     */
    StreamCollectives onStreams(StreamForm form);

    // ---- on values

    /**
     * Returns the value of member {@code root} on every member.
     *
     * @throws CollectiveMismatchException on every rank, if a rank gives another root
     */
    long broadcast(long value, int root);

    /** As {@link Rank#allReduce(double, ReduceOp)}, of the team. */
    double allReduce(double value, ReduceOp op);

    /** As {@link Rank#allReduce(long, ReduceOp)}, of the team. */
    long allReduce(long value, ReduceOp op);

    // ---- teams, and split-phase barriers of all ranks

    /**
     * Makes teams of the members that give the same {@code color}, in the order of their numbers. Collective over the team.
     *
     * @return the team of this rank
     */
    default Team split(int color) {
        return split(color, 0);
    }

    /**
     * Makes teams of the members that give the same {@code color}, in the order of {@code key}, and of their numbers here where
     * keys are the same ({@code MPI_Comm_split}). Collective over the team; any numbers are colours and keys. A team of all ranks
     * in another order is a part as others are: shared arrays are not spread over it.
     *
     * @return the team of this rank
     */
    Team split(int color, int key);

    /**
     * Makes a team of the given members, in the order given ({@code MPI_Comm_create}). Collective over this team: those that are
     * not in the list come as well, with the same list, and take no further part.
     *
     * @param members their numbers in this team, each once
     * @return the team; null on a rank that is not in it
     * @throws CollectiveMismatchException on every rank, if the lists differ
     * @throws IllegalArgumentException    on every rank, if the list is empty or names a member twice
     * @throws IndexOutOfBoundsException   on every rank, if it names one that does not exist
     */
    Team team(int... members);

    /**
     * Starts a split-phase barrier ({@code upc_notify}); never blocks for other ranks. Includes a fence. The next collective
     * operation of this rank, in whatever team, must be {@link #endBarrier}; any other throws an {@link IllegalStateException}.
     * Operations that were started before go on, and operations of streams may be queued.
     *
     * @throws UnsupportedOperationException in a team that {@link #split} has made; so do the other three
     */
    void beginBarrier();

    /** As {@link #beginBarrier()}, with a label as of {@link Rank#barrier(int)}. */
    void beginBarrier(int label);

    /** Ends a split-phase barrier ({@code upc_wait}): returns when every rank has begun it. */
    void endBarrier();

    /** As {@link #endBarrier()}, with a label. */
    void endBarrier(int label);
}
