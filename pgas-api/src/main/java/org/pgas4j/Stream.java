package org.pgas4j;

import java.util.function.Consumer;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.DoubleKernel2;
import org.pgas4j.kernel.DoubleKernel3;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.LongKernel2;
import org.pgas4j.kernel.LongKernel3;
import org.pgas4j.kernel.ThreadKernel;

/**
 * Work for a device, done in the order given, beside the host. Every method returns when the work is queued, except
 * where it says otherwise. Used by its rank's thread only. Blocks of host memory given to a stream must stay open and
 * untouched until the work is done. One whose arena was closed too early is an {@link IllegalStateException}, thrown as other
 * errors of queued work are: on the host device always, on a GPU when the copy is handed to the driver; one that is closed while
 * the driver copies is not noticed there. A copy to memory of a confined arena is complete when it returns.
 *
 * <p>Errors of queued work appear as {@link DeviceException} at a later call, at the latest at {@link #sync()}; what a kernel's Java
 * body threw is the cause of a {@link KernelException}.
 */
public interface Stream extends AutoCloseable {

    /**
     * Copies {@code src} to {@code dst}, each on the host or on this rank's device.
     *
     * @throws IllegalArgumentException if the sizes in bytes differ
     */
    void copy(Buffer dst, Buffer src);

    /** Sets every byte of {@code dst} to the low 8 bits of {@code value}. */
    void fill(Buffer dst, int value);

    /**
     * {@code c = a * b} for column-major matrices without gaps between columns: a is m x k, b k x n, c m x n. FLOAT, DOUBLE,
     * HALF or BFLOAT16, as c is; all on this rank's device.
     *
     * @throws IllegalArgumentException if a matrix does not fit its buffer, or the types differ
     */
    default void gemm(long m, long n, long k, Buffer a, Buffer b, Buffer c) {
        gemm(Gemm.of(Gemm.Precision.of(c.type()), m, n, k), a, b, c);
    }

    /**
     * {@code c = alpha * a * b + beta * c}; column-major, a is m x k with leading dimension {@code lda >= m}, b is k x n
     * with {@code ldb >= k}, c is m x n with {@code ldc >= m}, leading dimensions in elements. FLOAT, DOUBLE, HALF or
     * BFLOAT16, as c is; all on this rank's device.
     *
     * @throws IllegalArgumentException if a matrix does not fit its buffer, or the types differ
     */
    default void gemm(long m, long n, long k, double alpha, Buffer a, long lda, Buffer b, long ldb, double beta, Buffer c,
                      long ldc) {
        gemm(Gemm.of(Gemm.Precision.of(c.type()), m, n, k).factors(alpha, beta)
                .leading(Math.max(1, lda), Math.max(1, ldb), Math.max(1, ldc)), a, b, c);
    }

    /**
     * A product of matrices of any {@link Gemm.Precision}, transposed or not, with what follows it: cuBLAS, or OpenBLAS on the
     * host device, which converts 16-bit floats to floats and bytes to doubles. All buffers on this rank's device; those of
     * 16-bit floats may be BYTE. On a GPU a small product that repeats with the same operands in the same memory is launched as a
     * graph, which takes the host half of the time; a stream of such products has 32 MiB of the device for them.
     *
     * @throws IllegalArgumentException if a matrix does not fit its buffer, an element of c is one of a or b, or a type is not
     *                                  the precision's
     */
    void gemm(Gemm gemm, Buffer a, Buffer b, Buffer c);

    /**
     * Launches a kernel. Arguments are {@link Buffer} on the device or of {@link Device#allocPinned} (a pointer to the kernel),
     * boxed primitives ({@link Boolean} is C's {@code bool}, {@link Character} an {@code unsigned short}), and structs by value,
     * as a record ({@link RecordLayout}) or as the bytes of a {@link java.lang.foreign.MemorySegment}, which are copied before
     * this returns; in the order and of the types the kernel declares.
     *
     * @throws IllegalArgumentException if they are more or fewer than the kernel's CUDA source declares, or of other sizes
     * @throws StalePointerException    if one is a block of shared memory that was freed
     */
    void launch(Kernel kernel, Kernel.Shape shape, Object... args);

    /**
     * Runs {@code body} on this rank's device for each of the indices {@code from}, {@code from + step}, ... below {@code to} of which
     * the element of {@code affinity} is this rank's ({@code upc_forall(i = from; i < to; i += step; &affinity[i])}). The body may use
     * elements of any shared array: those of ranks whose memory the device reaches are loads and stores. Compiled at
     * first use; a body that devices cannot run is refused before anything is launched, on the host device as well.
     *
     * <p>An index out of bounds, a division by zero, an element out of the device's reach, and an exception that the body throws end
     * the thread that did it, and become a {@link KernelException} at the next {@link #sync()}, which names the line of the program.
     * The device stays usable.
     *
     * @throws KernelRefusedException   if the body uses something that kernels do not have
     * @throws IndexOutOfBoundsException if the range leaves the array
     * @throws IllegalArgumentException if {@code step} is below 1
     */
    void forAll(SharedArray affinity, long from, long to, long step, IndexKernel body);

    /**
     * Combines the values of {@code body} for all indices of which the element of {@code affinity} is this rank's. Waits for this
     * stream. {@link SharedArray#reduce} combines those of all ranks.
     *
     * @param op SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR
     * @return the neutral value of {@code op} where this rank has no elements
     */
    double reduce(SharedArray affinity, ReduceOp op, DoubleKernel body);

    /** As {@link #reduce(SharedArray, ReduceOp, DoubleKernel)}, for integers, which wrap, with all operations. */
    long reduceLongs(SharedArray affinity, ReduceOp op, LongKernel body);

    /**
     * Runs {@code body} on this rank's device for each index of a space of one dimension; otherwise as {@link #forAll(SharedArray,
     * long, long, long, IndexKernel)}.
     *
     * @throws IllegalArgumentException if the space has another number of dimensions; so do all of these
     */
    void forAll(IndexSpace space, IndexKernel body);

    /** As {@link #forAll(IndexSpace, IndexKernel)}, of two dimensions. */
    void forAll(IndexSpace space, IndexKernel2 body);

    /** As {@link #forAll(IndexSpace, IndexKernel)}, of three dimensions. */
    void forAll(IndexSpace space, IndexKernel3 body);

    /**
     * Combines the values of {@code body} for all indices of a space of one dimension. Waits for this stream.
     *
     * @param op SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR
     * @return the neutral value of {@code op} if the space is empty
     */
    double reduce(IndexSpace space, ReduceOp op, DoubleKernel body);

    /** As {@link #reduce(IndexSpace, ReduceOp, DoubleKernel)}, of two dimensions. */
    double reduce(IndexSpace space, ReduceOp op, DoubleKernel2 body);

    /** As {@link #reduce(IndexSpace, ReduceOp, DoubleKernel)}, of three dimensions. */
    double reduce(IndexSpace space, ReduceOp op, DoubleKernel3 body);

    /** As {@link #reduce(IndexSpace, ReduceOp, DoubleKernel)}, for integers, which wrap, with all operations. */
    long reduceLongs(IndexSpace space, ReduceOp op, LongKernel body);

    /** As {@link #reduceLongs(IndexSpace, ReduceOp, LongKernel)}, of two dimensions. */
    long reduceLongs(IndexSpace space, ReduceOp op, LongKernel2 body);

    /** As {@link #reduceLongs(IndexSpace, ReduceOp, LongKernel)}, of three dimensions. */
    long reduceLongs(IndexSpace space, ReduceOp op, LongKernel3 body);

    /**
     * Writes the prefixes of an array: {@link SharedDoubles#scan(Stream, ReduceOp, DoubleKernel)}. Collective, without a barrier at
     * its end; waits for this stream.
     *
     * @param exclusive without the value of each index itself
     */
    void scan(SharedDoubles into, ReduceOp op, boolean exclusive, DoubleKernel body);

    /**
     * As {@link #scan(SharedDoubles, ReduceOp, boolean, DoubleKernel)}, of an array's elements, by an operation of the program.
     *
     * @param first for element 0 if {@code exclusive}
     */
    void scan(SharedDoubles into, SharedDoubles of, boolean exclusive, double first, DoubleCombiner op);

    /** As {@link #scan(SharedDoubles, ReduceOp, boolean, DoubleKernel)}, of integers, which wrap, with all operations. */
    void scan(SharedLongs into, ReduceOp op, boolean exclusive, LongKernel body);

    /** As {@link #scan(SharedDoubles, SharedDoubles, boolean, double, DoubleCombiner)}, of integers. */
    void scan(SharedLongs into, SharedLongs of, boolean exclusive, long first, LongCombiner op);

    /**
     * Runs {@code body} as each thread of a grid of one dimension; otherwise as {@link #forAll(SharedArray, long, long, long,
     * IndexKernel)}. On the host device threads of a block are real ones if the body waits for them or uses memory of the block.
     *
     * @throws IllegalArgumentException if the grid or its blocks have more than one dimension
     */
    void launch(Kernel.Shape shape, ThreadKernel body);

    /** As {@link Rank#memput(SharedPointer, Buffer)}, after all work queued here before it. */
    void memput(SharedPointer dst, Buffer src);

    /** As {@link Rank#memget(Buffer, SharedPointer)}, after all work queued here before it. */
    void memget(Buffer dst, SharedPointer src);

    /**
     * Performs an atomic operation on a word of 8 bytes after all work queued here before it; complete at the target after {@link
     * Rank#fence()}. The rank's device does it where it has atomic operations in the word's memory, also in a {@linkplain #capture
     * captured} graph; elsewhere, as on host memory, the call waits for the stream and the host does it. The order among streams,
     * hosts and kernels is that of {@link Atomics}.
     *
     * @param comparand used by {@link AtomicOp#COMPARE_SWAP} alone
     * @param result    8 bytes of this rank's device for what was there; null for none
     */
    void atomic(SharedPointer word, AtomicOp op, long operand, long comparand, Buffer result);

    /** As {@link #atomic(SharedPointer, AtomicOp, long, long, Buffer)}, without a result. */
    default void atomic(SharedPointer word, AtomicOp op, long operand) {
        atomic(word, op, operand, 0, null);
    }

    /** As {@link Window#put(int, long, Buffer)}, after all work queued here before it. */
    void put(Window window, int target, long offset, Buffer src);

    /**
     * As {@link Window#putNotify(int, long, Buffer, int)}, after all work queued here before it. The host runs ahead: what is to be
     * done is written down, and the stream says when.
     */
    void putNotify(Window window, int target, long offset, Buffer src, int tag);

    /**
     * As {@link Window#putNotifySet(int, long, Buffer, int, long)}, after all work queued here before it. Where the device reaches
     * the target by itself no host takes part, and the put can be {@linkplain #capture captured}.
     */
    void putNotifySet(Window window, int target, long offset, Buffer src, int tag, long value);

    /** As {@link Notifications#signal(int, int)}, after all work queued here before it. */
    void signal(int target, int tag);

    /** As {@link Notifications#signalSet(int, int, long)}, after all work queued here before it; as the put with a value. */
    void signalSet(int target, int tag, long value);

    /**
     * Work queued here after this starts when {@code count} more notifications of {@code tag} have come to this rank; they are
     * consumed now. A wait that passes the job's timeout ends the job, as any other.
     *
     * @throws IllegalArgumentException if there is no such tag, or {@code count} is outside 0..{@value Notifications#MAX_COUNT}
     */
    void awaitNotifications(int tag, long count);

    /**
     * As {@link #awaitNotifications(int, long)}, of notifications by which {@code source} has notified this rank through a
     * window, which is not closed before the wait has ended.
     *
     * @param source number in the window's team; not {@link SourceWindow#ANY_SOURCE}
     */
    void awaitNotifications(SourceWindow window, int source, int tag, long count);

    /**
     * Work queued here after this starts when the value of {@code tag} is set at this rank, and takes it: sets it to 0. A value that
     * is set again before it is taken counts once; who sets it must know that the last one was taken, as by what came back since.
     * A wait that passes the job's timeout ends the job, as any other.
     */
    void awaitValue(int tag);

    /** Starts a prepared communication after all work queued here before it. */
    void trigger(Prepared prepared);

    /**
     * Writes down what {@code work} queues on the stream that it is given, and does nothing of it: a graph, which {@link
     * #launch(StreamGraph)} queues as a whole, at little more than the cost of one call.
     *
     * <p>The given stream takes copies and fills of device memory, kernels, puts of device memory, notifications with a value and
     * {@link #awaitValue}, where this rank's device does them without a host; it is closed when the call ends, also by an exception
     * of {@code work}, which leaves this stream as it was.
     *
     * @throws IllegalStateException if {@code work} asks for anything else; says what
     */
    StreamGraph capture(Consumer<Stream> work);

    /**
     * Queues what a graph of this rank holds, in the order in which it was captured. The blocks it names must still be open, and its
     * windows.
     */
    void launch(StreamGraph graph);

    /** Marks this point in the stream. */
    Event record();

    /** Work queued from here on starts after {@code event}. */
    void await(Event event);

    /**
     * The {@code CUstream} behind this stream, for other libraries, valid until this is closed. Returns when the driver has all
     * work that was queued here before, so that what another library queues then comes after it; waits for room in the driver's
     * queue if it must.
     *
     * @throws DeviceException      if this is a stream of the host device
     * @throws PgasTimeoutException if the job's timeout passes first
     */
    long nativeHandle();

    /** True if nothing queued is left undone. */
    boolean isIdle();

    /**
     * Waits until everything queued is done.
     *
     * @throws PgasTimeoutException if the job's timeout passes first
     */
    void sync();

    /**
     * Ends the stream behind what is queued; waits of the stream that have not ended are abandoned. At the end of the program its open
     * streams are closed likewise.
     *
     * @throws DeviceException if work has failed and neither {@link #sync()} nor {@link #isIdle()} has thrown it; so does the end of
     *                         the program, whose failure ends the job
     */
    @Override
    void close();
}
