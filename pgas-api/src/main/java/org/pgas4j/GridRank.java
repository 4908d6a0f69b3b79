package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * A block of the host device as a rank: what {@code pgas_device.cuh} gives a block of a GPU, under the same names. Used by the
 * block's thread. Completion, order and errors are as {@link Window} says; waits end with the launch's deadline.
 */
public interface GridRank {

    /** Whom a rank number, a window or a barrier is about. */
    enum Comm {
        /** All blocks of all ranks. */
        WORLD,
        /** The blocks of this host rank. */
        DEVICE
    }

    /** This block's number. */
    int rank(Comm comm);

    /** Number of blocks. */
    int ranks(Comm comm);

    /** The host rank this block belongs to. */
    int hostRank();

    /** Number of host ranks. */
    int hostRanks();

    /**
     * Collective: shows {@code base} to the blocks of {@code comm}, which must lie in the rank's shared device segment. All
     * blocks of the communicator create windows in the same order.
     *
     * @return the window's number
     */
    int createWindow(Comm comm, MemorySegment base);

    /** Collective: the window's number may be used again. */
    void freeWindow(int window);

    /** Size of a block's part of a window, bytes. */
    long windowBytes(int window, int target);

    /**
     * Writes; the source may be reused after {@link #flush}. Nothing is copied where both are the same bytes. A source that is not in
     * the rank's shared device segment goes in pieces of 8 bytes where the host carries it out.
     */
    void put(int window, int target, long offset, MemorySegment src, long bytes);

    /** As {@link #put}, then notifies the target. */
    void putNotify(int window, int target, long offset, MemorySegment src, long bytes, int tag);

    /**
     * Performs an atomic operation on an aligned word of a window; later notifications of this block come after it.
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

    /** Adds one to the counter of {@code tag} that host code and streams of rank {@code hostRank} wait on. */
    void notifyHost(int hostRank, int tag);

    /** Sources of puts before may be reused. */
    void flush();

    /** Consumes {@code count} notifications of {@code tag} if there are so many. */
    boolean testNotifications(int tag, long count);

    /** Waits for {@code count} notifications of {@code tag} and consumes them. */
    void awaitNotifications(int tag, long count);

    /** The target's part of a window for plain loads and stores, or null where it cannot be reached. */
    MemorySegment ptr(int window, int target);

    /** Collective over {@code comm}; everything written before is seen after. */
    void barrier(Comm comm);

    /** Prints a line on the rank's standard output while the launch runs. */
    void log(String text, double value);

    /** Starts timer {@code timer}, 0..15, kept by the CPU. */
    void startTimer(int timer);

    /** Stops it; {@link DeviceGrid#timerNanos} has the sum. */
    void stopTimer(int timer);

    /** Starts a prepared communication of this host rank. */
    void trigger(int prepared);

    /**
     * The end of this block's program is not to wait for the other blocks, as it does otherwise. What they send it from then on
     * is for the next launch.
     */
    void leave();
}
