package org.pgas4j;

import java.lang.foreign.MemorySegment;
import org.pgas4j.kernel.KernelThread;

/**
 * A block as a rank: what {@code pgas_device.cuh} gives a block of a GPU, under the same names. Used by the block's threads, of which
 * the host device has one. Completion, order and errors are as {@link Window} says; waits end with the launch's deadline.
 *
 * <p>Operations with a {@link MemorySegment} are those of bodies for the host device ({@link GridProgram}); the same with a
 * {@link Buffer} are for programs that run on GPUs as well ({@link GridKernel}). Such a buffer is one that the program has captured,
 * a slice of one, {@link #part} or {@link #sharedBuffer}; offsets in windows count bytes.
 */
public interface GridRank extends KernelThread {

    /** Whom a rank number, a window or a barrier is about. */
    enum Comm {
        /** All blocks of all ranks. */
        WORLD,
        /** The blocks of this host rank. */
        DEVICE
    }

    /** How the word that is waited for compares with the value given; both are signed. */
    enum Comparison {
        EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL;

        /** True if {@code word} compares in this way with {@code value}. */
        public boolean holds(long word, long value) {
            return switch (this) {
                case EQUAL -> word == value;
                case NOT_EQUAL -> word != value;
                case GREATER -> word > value;
                case GREATER_EQUAL -> word >= value;
                case LESS -> word < value;
                case LESS_EQUAL -> word <= value;
            };
        }
    }

    /**
     * Threads of a block that call an operation together, with the same arguments. On the host device, where a block has one thread,
     * all are the same.
     */
    enum Callers {
        /** All threads of the block; the operation begins and ends with a barrier of them. */
        BLOCK,
        /** All threads of a warp; the operation begins and ends with a barrier of them. */
        WARP,
        /** One thread. */
        THREAD
    }

    /** This block's number. */
    int rank(Comm comm);

    /** Number of blocks. */
    int ranks(Comm comm);

    /** Shape of the blocks of this host rank. */
    DeviceGrid.Dims gridShape();

    /** Coordinates of this block among those of its host rank: x, y, z. */
    int[] blockIndex();

    /** Coordinates of this block in {@link #gridShape}. */
    default int blockX() {
        return blockIndex()[0];
    }

    /** As {@link #blockX}. */
    default int blockY() {
        return blockIndex()[1];
    }

    /** As {@link #blockX}. */
    default int blockZ() {
        return blockIndex()[2];
    }

    /** Shape of the threads of a block ({@link DeviceGrid.Options}); one thread on the host device. */
    default DeviceGrid.Dims blockShape() {
        return DeviceGrid.Dims.of(1);
    }

    /** Coordinates of the thread in {@link #blockShape}. */
    default int threadX() {
        return 0;
    }

    /** As {@link #threadX}. */
    default int threadY() {
        return 0;
    }

    /** As {@link #threadX}. */
    default int threadZ() {
        return 0;
    }

    /** Number of this block among those of its host rank. */
    @Override
    default long block() {
        return rank(Comm.DEVICE);
    }

    /** Number of blocks of this host rank. */
    @Override
    default long blocks() {
        return ranks(Comm.DEVICE);
    }

    @Override
    default int thread() {
        return 0;
    }

    @Override
    default int threads() {
        return 1;
    }

    /** Waits for all threads of the block; ends them if the block has failed. */
    @Override
    default void sync() {
    }

    @Override
    default float[] sharedFloats(int length) {
        return new float[length];
    }

    @Override
    default double[] sharedDoubles(int length) {
        return new double[length];
    }

    @Override
    default int[] sharedInts(int length) {
        return new int[length];
    }

    @Override
    default long[] sharedLongs(int length) {
        return new long[length];
    }

    /** The host rank this block belongs to. */
    int hostRank();

    /** Number of host ranks. */
    int hostRanks();

    /**
     * Collective: shows {@code base} to the blocks of {@code comm}. It lies in the rank's shared device segment, or is private memory
     * of the rank's device ({@link Device#alloc}) if {@code comm} is DEVICE, or if the devices reach each other and all ranks are of
     * one JVM or {@linkplain DeviceGrid#register have registered} it; private memory stays allocated until the window is freed, and
     * the host device does not check that. All blocks of the communicator create windows in the same order. Of {@link Comm#WORLD} there may be {@link DeviceGrid.Options#windows()} at
     * once, of {@link Comm#DEVICE} {@value DeviceGrid.Options#MAX_WINDOWS}: one more ends the launch with an {@link
     * IllegalArgumentException}.
     *
     * @return the window's number
     */
    int createWindow(Comm comm, MemorySegment base);

    /** As {@link #createWindow(Comm, MemorySegment)}. */
    default int createWindow(Comm comm, Buffer base) {
        return createWindow(comm, base.inKernel());
    }

    /** Bytes of memory that a window over blocks of {@code comm} takes to count {@code tags} tags by source. */
    long sourceBytes(Comm comm, int tags);

    /**
     * As {@link #createWindow(Comm, MemorySegment)}, of a window that counts its notifications by source. It takes two windows of the
     * communicator.
     *
     * @param tags number of its tags, 1 to 256, the same in all blocks
     * @param work memory of the rank's shared device segment, aligned to 16 bytes, that belongs to the window until it is freed
     *             ({@link #sourceBytes})
     */
    GridSourceWindow createSourceWindow(Comm comm, MemorySegment base, int tags, MemorySegment work);

    /** As {@link #createSourceWindow(Comm, MemorySegment, int, MemorySegment)}. */
    default GridSourceWindow createSourceWindow(Comm comm, Buffer base, int tags, Buffer work) {
        return createSourceWindow(comm, base.inKernel(), tags, work.inKernel());
    }

    /** Collective: the window's number may be used again. */
    void freeWindow(int window);

    /** Size of a block's part of a window, bytes. */
    long windowBytes(int window, int target);

    /**
     * Writes; the source may be reused after {@link #flush}. Nothing is copied where both are the same bytes. A source that is not in
     * the rank's shared device segment goes in pieces of 8 bytes where the host carries it out.
     */
    void put(int window, int target, long offset, MemorySegment src, long bytes);

    /** As {@link #put(int, int, long, MemorySegment, long)}, from the start of {@code src}. */
    default void put(int window, int target, long offset, Buffer src, long bytes) {
        put(window, target, offset, src.inKernel(), bytes);
    }

    /** The same by some threads of the block. */
    default void put(Callers by, int window, int target, long offset, Buffer src, long bytes) {
        put(window, target, offset, src, bytes);
    }

    /** As {@link #put}, then notifies the target. */
    void putNotify(int window, int target, long offset, MemorySegment src, long bytes, int tag);

    /** As {@link #putNotify(int, int, long, MemorySegment, long, int)}, from the start of {@code src}. */
    default void putNotify(int window, int target, long offset, Buffer src, long bytes, int tag) {
        putNotify(window, target, offset, src.inKernel(), bytes, tag);
    }

    /** The same by some threads of the block. */
    default void putNotify(Callers by, int window, int target, long offset, Buffer src, long bytes, int tag) {
        putNotify(window, target, offset, src, bytes, tag);
    }

    /**
     * Prepares a {@link #put}, which {@link #start} starts as often as wanted. A block has 32 such requests; each is of its launch,
     * and is freed before its window.
     *
     * @return the request's number
     */
    int preparePut(int window, int target, long offset, MemorySegment src, long bytes);

    /** As {@link #preparePut(int, int, long, MemorySegment, long)}, from the start of {@code src}. */
    default int preparePut(int window, int target, long offset, Buffer src, long bytes) {
        return preparePut(window, target, offset, src.inKernel(), bytes);
    }

    /** As {@link #preparePut}, of a {@link #putNotify}. */
    int preparePutNotify(int window, int target, long offset, MemorySegment src, long bytes, int tag);

    /** As {@link #preparePutNotify(int, int, long, MemorySegment, long, int)}, from the start of {@code src}. */
    default int preparePutNotify(int window, int target, long offset, Buffer src, long bytes, int tag) {
        return preparePutNotify(window, target, offset, src.inKernel(), bytes, tag);
    }

    /** The request's number may be used again; a put that is started goes on. */
    void freeRequest(int request);

    /** Starts a prepared put. It may be started again when a wait or a test has found that it has ended. */
    void start(int request);

    /** True if a request has ended: the source of its put may be reused. One that is not started has ended. */
    boolean testRequest(int request);

    /** Waits until a request has ended. */
    void awaitRequest(int request);

    /** As {@link #awaitAnyRequest} without a wait: -1 also if none has ended. */
    int testAnyRequest(int[] requests);

    /**
     * Waits until one of several requests has ended. Those that are not started are passed over, as in all waits for several.
     *
     * @return the lowest index of one that has ended; -1 if none is started
     */
    int awaitAnyRequest(int[] requests);

    /**
     * As {@link #awaitAnyRequest}, of all that have ended.
     *
     * @param indices receives their indices, from index 0 on; in a {@link GridKernel} memory of the block ({@link #sharedLongs})
     * @return their number; 0 if none is started
     */
    int awaitSomeRequests(int[] requests, long[] indices);

    /** Waits until all of several requests have ended. */
    void awaitAllRequests(int[] requests);

    /**
     * Reads; returns when {@code dst} has the bytes. Finds what was put there before, and what other blocks had put before a barrier.
     * A destination that is not in the rank's shared device segment is filled in pieces of 8 bytes where the host carries it out.
     */
    void get(int window, int target, long offset, MemorySegment dst, long bytes);

    /** As {@link #get(int, int, long, MemorySegment, long)}, to the start of {@code dst}. */
    default void get(int window, int target, long offset, Buffer dst, long bytes) {
        get(window, target, offset, dst.inKernel(), bytes);
    }

    /** The same by some threads of the block. */
    default void get(Callers by, int window, int target, long offset, Buffer dst, long bytes) {
        get(window, target, offset, dst, bytes);
    }

    /** As {@link #get}, and notifies the target when its bytes have been read. */
    void getNotify(int window, int target, long offset, MemorySegment dst, long bytes, int tag);

    /** As {@link #getNotify(int, int, long, MemorySegment, long, int)}, to the start of {@code dst}. */
    default void getNotify(int window, int target, long offset, Buffer dst, long bytes, int tag) {
        getNotify(window, target, offset, dst.inKernel(), bytes, tag);
    }

    /** The same by some threads of the block. */
    default void getNotify(Callers by, int window, int target, long offset, Buffer dst, long bytes, int tag) {
        getNotify(window, target, offset, dst, bytes, tag);
    }

    /** Starts a {@link #get}; {@code dst} is not to be used before {@link #awaitGets}. */
    void startGet(int window, int target, long offset, MemorySegment dst, long bytes);

    /** As {@link #startGet(int, int, long, MemorySegment, long)}, to the start of {@code dst}. */
    default void startGet(int window, int target, long offset, Buffer dst, long bytes) {
        startGet(window, target, offset, dst.inKernel(), bytes);
    }

    /** The same by some threads of the block. */
    default void startGet(Callers by, int window, int target, long offset, Buffer dst, long bytes) {
        startGet(window, target, offset, dst, bytes);
    }

    /** Waits for all gets of this block that were started. */
    void awaitGets();

    /** Waits for the gets that these threads have started, at least. */
    default void awaitGets(Callers by) {
        awaitGets();
    }

    /**
     * Writes as {@link #put} and then sets an aligned word of the target's part: who sees its value ({@link #awaitValue}) sees the
     * bytes, and those of puts of this block to that target before.
     *
     * @param at   offset of the word
     * @param type INT or LONG
     */
    void putSet(int window, int target, long offset, MemorySegment src, long bytes, long at, ElementType type, long value);

    /** As {@link #putSet(int, int, long, MemorySegment, long, long, ElementType, long)}, from the start of {@code src}. */
    default void putSet(int window, int target, long offset, Buffer src, long bytes, long at, ElementType type, long value) {
        putSet(window, target, offset, src.inKernel(), bytes, at, type, value);
    }

    /** The same by some threads of the block. */
    default void putSet(Callers by, int window, int target, long offset, Buffer src, long bytes, long at, ElementType type,
                        long value) {
        putSet(window, target, offset, src, bytes, at, type, value);
    }

    /** Writes one value, given by its bits; no order with other puts. Each thread that calls. */
    void putValue(int window, int target, long offset, ElementType type, long bits);

    /** Reads one value; returns its bits, with the sign extended. Each thread that calls. */
    long getValue(int window, int target, long offset, ElementType type);

    /**
     * Performs an atomic operation on an aligned word of a window; later notifications of this block come after it.
     * Each thread that calls.
     *
     * @param operand bits, as the comparand, which only {@link AtomicOp#COMPARE_SWAP} uses
     * @return bits of what was there; an int is extended
     */
    long atomic(int window, int target, long offset, ElementType type, AtomicOp op, long operand, long comparand);

    /** As {@link #atomic(int, int, long, ElementType, AtomicOp, long, long)}, on a word of 8 bytes. */
    default long atomic(int window, int target, long offset, AtomicOp op, long operand) {
        return atomic(window, target, offset, ElementType.LONG, op, operand, 0);
    }

    /** Adds one to the target's counter of {@code tag}, after everything this block sent it before. */
    void signal(Comm comm, int target, int tag);

    /** The same by some threads of the block. */
    default void signal(Callers by, Comm comm, int target, int tag) {
        signal(comm, target, tag);
    }

    /** Adds one to the counter of {@code tag} that host code and streams of rank {@code hostRank} wait on. */
    void notifyHost(int hostRank, int tag);

    /**
     * Orders everything that this block has written, by puts and by stores through {@link #ptr}, before its later
     * notifications. GPUs need it for stores; on the host device, where stores keep their order, a program without it cannot be
     * told from one with it. In a {@link GridKernel} it also comes before the block's later atomic additions to memory of its
     * device, so that the block whose addition is the last may {@link #trigger} what all of them have written.
     */
    void fence();

    /** Sources of puts before may be reused. */
    void flush();

    /** Consumes {@code count} notifications of {@code tag} if there are so many. */
    boolean testNotifications(int tag, long count);

    /** Waits for {@code count} notifications of {@code tag}, 0 to 2^31 - 1, and consumes them. */
    void awaitNotifications(int tag, long count);

    /** Number of notifications of {@code tag} that are there and not consumed. */
    long availableNotifications(int tag);

    /** Consumes all notifications of {@code tag} that are there; returns their number, 0 if there are none. */
    long takeNotifications(int tag);

    /**
     * Waits for a notification of any of {@code tags} tags from {@code first} on and consumes one of the lowest that has some.
     * One tag at least, as in all waits for several.
     *
     * @return its tag
     */
    int awaitAnyTag(int first, int tags);

    /** As {@link #awaitAnyTag} without a wait: -1 if there is none. */
    int testAnyTag(int first, int tags);

    /**
     * Waits for a notification of any of {@code tags} tags from {@code first} on and consumes all that are there.
     *
     * @param counts receives their number for each tag, from index 0 on; in a {@link GridKernel} memory of the block
     *               ({@link #sharedLongs})
     * @return number of tags that had some
     */
    int awaitSomeTags(int first, int tags, long[] counts);

    /** Waits until each of {@code tags} tags from {@code first} on has {@code count} notifications, and consumes them. */
    void awaitAllTags(int first, int tags, long count);

    /**
     * Waits until a word of this block's own part of a window compares with {@code value}, whoever writes it: puts, atomic
     * operations, stores. {@link #putSet} orders it after bytes.
     *
     * @param offset bytes; the word is aligned
     * @param type   INT or LONG
     */
    void awaitValue(int window, long offset, ElementType type, Comparison comparison, long value);

    /** As {@link #awaitValue}, for any of {@code count} words in a row; returns the lowest index. */
    long awaitAnyValue(int window, long offset, long count, ElementType type, Comparison comparison, long value);

    /**
     * As {@link #awaitAnyValue}, and finds all words that compare.
     *
     * @param indices receives their indices; has room for {@code count}; in a {@link GridKernel} memory of the block
     *                ({@link #sharedLongs})
     * @return number of words found
     */
    long awaitSomeValues(int window, long offset, long count, ElementType type, Comparison comparison, long value, long[] indices);

    /** As {@link #awaitValue}, until all of {@code count} words in a row compare at once. */
    void awaitAllValues(int window, long offset, long count, ElementType type, Comparison comparison, long value);

    /** Number of words that compare now. */
    long testValues(int window, long offset, long count, ElementType type, Comparison comparison, long value);

    /** As {@link #testValues} of one word. */
    default boolean testValue(int window, long offset, ElementType type, Comparison comparison, long value) {
        return testValues(window, offset, 1, type, comparison, value) != 0;
    }

    /** The target's part of a window for plain loads and stores, or null where it cannot be reached. */
    MemorySegment ptr(int window, int target);

    /**
     * The target's part of a window as bytes for plain loads and stores, or null where it cannot be reached. What is stored through
     * it comes before this block's later notifications.
     */
    default Buffer part(int window, int target) {
        MemorySegment memory = ptr(window, target);
        return memory == null ? null : Buffer.ofHost(memory, ElementType.BYTE);
    }

    /** Collective over {@code comm}; everything written before is seen after. */
    void barrier(Comm comm);

    /** Bytes of memory that a split of {@code comm} takes with stages of {@code stage} bytes. */
    long splitBytes(Comm comm, long stage);

    /**
     * Collective over all blocks of {@code comm}: makes splits, one for each colour. Members are numbered by key, then by rank; a
     * block with a negative colour is in none.
     *
     * @param work memory of the rank's shared device segment, aligned to 16 bytes, that belongs to the split until it is freed
     *             ({@link #splitBytes}); it takes one window of the communicator
     */
    GridSplit split(Comm comm, int colour, int key, MemorySegment work);

    /** As {@link #split(Comm, int, int, MemorySegment)}. */
    default GridSplit split(Comm comm, int colour, int key, Buffer work) {
        return split(comm, colour, key, work.inKernel());
    }

    /** Memory of the block in a launch, as much as {@link DeviceGrid.Options#shared} says; what it holds at first is not defined. */
    MemorySegment shared();

    /** The same as bytes. */
    default Buffer sharedBuffer() {
        return Buffer.ofHost(shared(), ElementType.BYTE);
    }

    /** Prints a line on the rank's standard output while the launch runs. */
    void log(String text, double value);

    /**
     * Writes a line of the block to the log of the grid ({@link DeviceGrid#logTo}), with C's conversions d, i, u, x, X, o, c, f, e, g and
     * p. All threads of the block call it; the values are those of the first. A line that finds the log full is dropped and counted.
     *
     * @param format up to 160 bytes; of a {@link GridKernel} a constant that fits the values, without p
     * @param values up to 8 numbers
     */
    @Override
    void printf(String format, Object... values);

    /** The same by some threads of the block, of which the first writes the line. */
    default void printf(Callers by, String format, Object... values) {
        printf(format, values);
    }

    /** Starts timer {@code timer}, 0..15, kept by the CPU; one that runs starts anew. */
    void startTimer(int timer);

    /** Stops it, if it runs; {@link DeviceGrid#timerNanos} has the sum. */
    void stopTimer(int timer);

    /** Starts a prepared communication of this host rank. */
    void trigger(int prepared);

    /**
     * The end of this block's program is not to wait for the other blocks, as it does otherwise. What they send it from then on
     * is for the next launch. The last call of a {@link GridProgram}, on the host device as in CUDA C++; a {@link GridKernel} may
     * go on.
     */
    void leave();
}
