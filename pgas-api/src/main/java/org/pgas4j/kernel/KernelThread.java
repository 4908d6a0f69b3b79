package org.pgas4j.kernel;

import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * A thread of a kernel's grid, as the kernel sees it. Loops over elements are written from {@link #global()} by steps of {@link
 * #globals()}, or within a block from {@link #thread()} by steps of {@link #threads()}: then they are right for any shape. For the
 * thread itself only.
 */
public interface KernelThread {

    /** Index of the block in the grid. */
    long block();

    /** Number of blocks. */
    long blocks();

    /** Index of the thread in its block. */
    int thread();

    /** Number of threads in a block. */
    int threads();

    /** Index of the thread in the grid. */
    default long global() {
        return block() * threads() + thread();
    }

    /** Number of threads in the grid. */
    default long globals() {
        return blocks() * threads();
    }

    /**
     * Waits for all threads of the block, which see each other's memory of the block and of the device from then on. All of them call
     * it equally often; where one ends without it the host device throws.
     */
    void sync();

    /**
     * Prints a line of this thread on the rank's standard output, behind rank, block and thread: {@code [rank 0 block 3 thread 17] x
     * is 0.50}; on a GPU at the next {@code sync} of a stream of the rank, up to 1,024 lines: further ones are dropped, and their
     * number is printed. A launch with a format that is no constant, or does not fit the values, is refused.
     *
     * @param format a constant, with C's conversions d, i, u, x, X, o and c of integers, f, e and g of reals, and %%, with the
     *               flags -, + and 0, width and precision; up to 160 bytes
     * @param values up to 8 numbers
     */
    void printf(String format, Object... values);

    /**
     * Memory of the block. Its threads call this in the same order and with the same lengths; each call gives further memory,
     * uninitialised, and the same to all threads of the block.
     */
    float[] sharedFloats(int length);

    /** As {@link #sharedFloats}. */
    double[] sharedDoubles(int length);

    /** As {@link #sharedFloats}. */
    int[] sharedInts(int length);

    /** As {@link #sharedFloats}. */
    long[] sharedLongs(int length);

    // ---- the warp: up to 32 threads that run together. All of its threads call these operations, in the same order.

    /** Index of the thread in its warp, 0 to 31. */
    default int lane() {
        return thread() & 31;
    }

    /** Index of the warp in the block. */
    default int warp() {
        return thread() >> 5;
    }

    /** Number of threads in the warp: 32, or less in the last warp of a block. */
    default int lanes() {
        return Math.min(32, threads() - (thread() & ~31));
    }

    /**
     * Value that the thread {@code lane} of the warp passes to the same call. The other operations of warps stand on it; a thread
     * of a block with several threads overrides it.
     *
     * @param lane below {@link #lanes}
     */
    default long fromLane(long value, int lane) {
        if (threads() != 1) {
            throw new UnsupportedOperationException("this thread cannot reach the other " + (threads() - 1) + " of its block");
        }
        return value;
    }

    /**
     * Value that the thread {@code thread} of the block passes to the same call, by all threads of the block. A thread of a block
     * with several threads overrides it.
     */
    default long fromThread(long value, int thread) {
        return fromLane(value, thread);
    }

    /** Bit i is whether thread i of the warp passes true. */
    default int ballot(boolean value) {
        int bits = 0;
        for (int lane = 0; lane < lanes(); lane++) {
            bits |= (int) fromLane(value ? 1 : 0, lane) << lane;
        }
        return bits;
    }

    /** True if a thread of the warp passes true. */
    default boolean any(boolean value) {
        return ballot(value) != 0;
    }

    /** True if all threads of the warp pass true. */
    default boolean all(boolean value) {
        return ballot(!value) == 0;
    }

    // shuffles: values of other threads of the warp; the own value where there is no such thread

    /** Value of the thread {@code lane} of the warp. */
    default int shuffle(int value, int lane) {
        return (int) fromLane(value, lane < 0 || lane >= lanes() ? lane() : lane);
    }

    /** Value of the thread {@code by} lanes below. */
    default int shuffleUp(int value, int by) {
        return shuffle(value, lane() - by);
    }

    /** Value of the thread {@code by} lanes above. */
    default int shuffleDown(int value, int by) {
        return shuffle(value, lane() + by);
    }

    /** Value of the thread whose lane differs in the bits of {@code mask}. */
    default int shuffleXor(int value, int mask) {
        return shuffle(value, lane() ^ mask);
    }

    /** As {@link #shuffle(int, int)}. */
    default long shuffle(long value, int lane) {
        return fromLane(value, lane < 0 || lane >= lanes() ? lane() : lane);
    }

    /** As {@link #shuffleUp(int, int)}. */
    default long shuffleUp(long value, int by) {
        return shuffle(value, lane() - by);
    }

    /** As {@link #shuffleDown(int, int)}. */
    default long shuffleDown(long value, int by) {
        return shuffle(value, lane() + by);
    }

    /** As {@link #shuffleXor(int, int)}. */
    default long shuffleXor(long value, int mask) {
        return shuffle(value, lane() ^ mask);
    }

    /** As {@link #shuffle(int, int)}. */
    default float shuffle(float value, int lane) {
        return Float.intBitsToFloat((int) fromLane(Float.floatToRawIntBits(value), lane < 0 || lane >= lanes() ? lane() : lane));
    }

    /** As {@link #shuffleUp(int, int)}. */
    default float shuffleUp(float value, int by) {
        return shuffle(value, lane() - by);
    }

    /** As {@link #shuffleDown(int, int)}. */
    default float shuffleDown(float value, int by) {
        return shuffle(value, lane() + by);
    }

    /** As {@link #shuffleXor(int, int)}. */
    default float shuffleXor(float value, int mask) {
        return shuffle(value, lane() ^ mask);
    }

    /** As {@link #shuffle(int, int)}. */
    default double shuffle(double value, int lane) {
        return Double.longBitsToDouble(fromLane(Double.doubleToRawLongBits(value), lane < 0 || lane >= lanes() ? lane() : lane));
    }

    /** As {@link #shuffleUp(int, int)}. */
    default double shuffleUp(double value, int by) {
        return shuffle(value, lane() - by);
    }

    /** As {@link #shuffleDown(int, int)}. */
    default double shuffleDown(double value, int by) {
        return shuffle(value, lane() + by);
    }

    /** As {@link #shuffleXor(int, int)}. */
    default double shuffleXor(double value, int mask) {
        return shuffle(value, lane() ^ mask);
    }

    // reductions over the warp and the block, in the same order on every device; all threads get the result

    /** Combines bits of the warp's threads, lane by lane pairwise from the upper half down. */
    private long warpAll(long bits, LongBinaryOperator combine) {
        long all = bits;
        for (int by = 16; by > 0; by >>= 1) {
            long other = shuffleDown(all, by);
            all = lane() + by < lanes() ? combine.applyAsLong(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** Combines bits of the block's threads: of its warps, in their order. */
    private long blockAll(long bits, LongBinaryOperator combine) {
        long warp = warpAll(bits, combine);
        long all = fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            all = combine.applyAsLong(all, fromThread(warp, first));
        }
        return all;
    }

    private static LongBinaryOperator ofFloats(DoubleBinaryOperator op) {
        return (a, b) -> Float.floatToRawIntBits((float) op.applyAsDouble(Float.intBitsToFloat((int) a), Float.intBitsToFloat((int) b)));
    }

    private static LongBinaryOperator ofDoubles(DoubleBinaryOperator op) {
        return (a, b) -> Double.doubleToRawLongBits(op.applyAsDouble(Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
    }

    /**
     * Combines the values of the warp's threads, lane by lane pairwise from the upper half down. Numbers without signs have the size of
     * {@code value}.
     *
     * @param op a constant of {@code ReduceOp}
     */
    default int warpReduce(BlockReduction op, int value) {
        return (int) warpAll(value, op::apply);
    }

    /** Combines the values of the block's threads: of its warps ({@link #warpReduce(BlockReduction, int)}), in their order. */
    default int blockReduce(BlockReduction op, int value) {
        return (int) blockAll(value, op::apply);
    }

    /** As {@link #warpReduce(BlockReduction, int)}. */
    default long warpReduce(BlockReduction op, long value) {
        return warpAll(value, op::apply);
    }

    /** As {@link #blockReduce(BlockReduction, int)}. */
    default long blockReduce(BlockReduction op, long value) {
        return blockAll(value, op::apply);
    }

    /**
     * As {@link #warpReduce(BlockReduction, int)}.
     *
     * @param op a constant: SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR; a launch with another is refused
     */
    default float warpReduce(BlockReduction op, float value) {
        return Float.intBitsToFloat((int) warpAll(Float.floatToRawIntBits(value), ofFloats(op::apply)));
    }

    /**
     * As {@link #blockReduce(BlockReduction, int)}.
     *
     * @param op a constant: SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR; a launch with another is refused
     */
    default float blockReduce(BlockReduction op, float value) {
        return Float.intBitsToFloat((int) blockAll(Float.floatToRawIntBits(value), ofFloats(op::apply)));
    }

    /**
     * As {@link #warpReduce(BlockReduction, int)}.
     *
     * @param op a constant: SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR; a launch with another is refused
     */
    default double warpReduce(BlockReduction op, double value) {
        return Double.longBitsToDouble(warpAll(Double.doubleToRawLongBits(value), ofDoubles(op::apply)));
    }

    /**
     * As {@link #blockReduce(BlockReduction, int)}.
     *
     * @param op a constant: SUM, PRODUCT, MIN, MAX, LOGICAL_AND or LOGICAL_OR; a launch with another is refused
     */
    default double blockReduce(BlockReduction op, double value) {
        return Double.longBitsToDouble(blockAll(Double.doubleToRawLongBits(value), ofDoubles(op::apply)));
    }

    /** Sum of the values of the warp's threads, lane by lane pairwise from the upper half down. */
    default int warpSum(int value) {
        return (int) warpAll(value, Long::sum);
    }

    /** Sum of the values of the block's threads: of its warps, in their order. */
    default int blockSum(int value) {
        return (int) blockAll(value, Long::sum);
    }

    /** Least of the values of the warp's threads. */
    default int warpMin(int value) {
        return (int) warpAll(value, Math::min);
    }

    /** Least of the values of the block's threads. */
    default int blockMin(int value) {
        return (int) blockAll(value, Math::min);
    }

    /** Greatest of the values of the warp's threads. */
    default int warpMax(int value) {
        return (int) warpAll(value, Math::max);
    }

    /** Greatest of the values of the block's threads. */
    default int blockMax(int value) {
        return (int) blockAll(value, Math::max);
    }

    /** As {@link #warpSum(int)}. */
    default long warpSum(long value) {
        return warpAll(value, Long::sum);
    }

    /** As {@link #blockSum(int)}. */
    default long blockSum(long value) {
        return blockAll(value, Long::sum);
    }

    /** As {@link #warpMin(int)}. */
    default long warpMin(long value) {
        return warpAll(value, Math::min);
    }

    /** As {@link #blockMin(int)}. */
    default long blockMin(long value) {
        return blockAll(value, Math::min);
    }

    /** As {@link #warpMax(int)}. */
    default long warpMax(long value) {
        return warpAll(value, Math::max);
    }

    /** As {@link #blockMax(int)}. */
    default long blockMax(long value) {
        return blockAll(value, Math::max);
    }

    /** As {@link #warpSum(int)}. */
    default float warpSum(float value) {
        return Float.intBitsToFloat((int) warpAll(Float.floatToRawIntBits(value), ofFloats(Double::sum)));
    }

    /** As {@link #blockSum(int)}. */
    default float blockSum(float value) {
        return Float.intBitsToFloat((int) blockAll(Float.floatToRawIntBits(value), ofFloats(Double::sum)));
    }

    /** As {@link #warpMin(int)}. */
    default float warpMin(float value) {
        return Float.intBitsToFloat((int) warpAll(Float.floatToRawIntBits(value), ofFloats(Math::min)));
    }

    /** As {@link #blockMin(int)}. */
    default float blockMin(float value) {
        return Float.intBitsToFloat((int) blockAll(Float.floatToRawIntBits(value), ofFloats(Math::min)));
    }

    /** As {@link #warpMax(int)}. */
    default float warpMax(float value) {
        return Float.intBitsToFloat((int) warpAll(Float.floatToRawIntBits(value), ofFloats(Math::max)));
    }

    /** As {@link #blockMax(int)}. */
    default float blockMax(float value) {
        return Float.intBitsToFloat((int) blockAll(Float.floatToRawIntBits(value), ofFloats(Math::max)));
    }

    /** As {@link #warpSum(int)}. */
    default double warpSum(double value) {
        return Double.longBitsToDouble(warpAll(Double.doubleToRawLongBits(value), ofDoubles(Double::sum)));
    }

    /** As {@link #blockSum(int)}. */
    default double blockSum(double value) {
        return Double.longBitsToDouble(blockAll(Double.doubleToRawLongBits(value), ofDoubles(Double::sum)));
    }

    /** As {@link #warpMin(int)}. */
    default double warpMin(double value) {
        return Double.longBitsToDouble(warpAll(Double.doubleToRawLongBits(value), ofDoubles(Math::min)));
    }

    /** As {@link #blockMin(int)}. */
    default double blockMin(double value) {
        return Double.longBitsToDouble(blockAll(Double.doubleToRawLongBits(value), ofDoubles(Math::min)));
    }

    /** As {@link #warpMax(int)}. */
    default double warpMax(double value) {
        return Double.longBitsToDouble(warpAll(Double.doubleToRawLongBits(value), ofDoubles(Math::max)));
    }

    /** As {@link #blockMax(int)}. */
    default double blockMax(double value) {
        return Double.longBitsToDouble(blockAll(Double.doubleToRawLongBits(value), ofDoubles(Math::max)));
    }

    // ---- atomic operations on memory of the block

    /**
     * Performs an operation on an element of memory of the block in one step among its threads, and returns what was there. It orders no
     * other access; {@link #sync} does.
     *
     * @param op    a constant of {@code AtomicOp}: all but {@code COMPARE_SWAP}; a launch with another is refused
     * @param value of no meaning for {@code GET}
     */
    default int atomic(int[] memory, int index, AtomicOperation op, int value) {
        return BlockAtomics.update(memory, index, BlockAtomics.requireOne(op)::combine, value);
    }

    /** As {@link #atomic(int[], int, AtomicOperation, int)}. */
    default long atomic(long[] memory, int index, AtomicOperation op, long value) {
        return BlockAtomics.update(memory, index, BlockAtomics.requireOne(op)::combine, value);
    }

    /** As {@link #atomic(int[], int, AtomicOperation, int)}, without the operations of integers alone. */
    default float atomic(float[] memory, int index, AtomicOperation op, float value) {
        return BlockAtomics.update(memory, index, BlockAtomics.requireOne(op)::combine, value);
    }

    /** As {@link #atomic(int[], int, AtomicOperation, int)}, without the operations of integers alone. */
    default double atomic(double[] memory, int index, AtomicOperation op, double value) {
        return BlockAtomics.update(memory, index, BlockAtomics.requireOne(op)::combine, value);
    }

    /** Adds to an element of memory of the block; returns what was there. */
    default int getAndAdd(int[] memory, int index, int value) {
        return BlockAtomics.getAndAdd(memory, index, value);
    }

    /** As {@link #getAndAdd(int[], int, int)}. */
    default long getAndAdd(long[] memory, int index, long value) {
        return BlockAtomics.getAndAdd(memory, index, value);
    }

    /** As {@link #getAndAdd(int[], int, int)}. */
    default float getAndAdd(float[] memory, int index, float value) {
        return BlockAtomics.update(memory, index, Double::sum, value);
    }

    /** As {@link #getAndAdd(int[], int, int)}. */
    default double getAndAdd(double[] memory, int index, double value) {
        return BlockAtomics.update(memory, index, Double::sum, value);
    }

    /** Replaces an element of memory of the block; returns what was there. */
    default int getAndSet(int[] memory, int index, int value) {
        return BlockAtomics.getAndSet(memory, index, value);
    }

    /** Sets an element of memory of the block to the lesser of it and {@code value}; returns what was there. */
    default int getAndMin(int[] memory, int index, int value) {
        return BlockAtomics.update(memory, index, Math::min, value);
    }

    /** Sets an element of memory of the block to the greater of it and {@code value}; returns what was there. */
    default int getAndMax(int[] memory, int index, int value) {
        return BlockAtomics.update(memory, index, Math::max, value);
    }

    /** Replaces an element of memory of the block if it is {@code expected}; returns what was there. */
    default int compareAndExchange(int[] memory, int index, int expected, int value) {
        return BlockAtomics.compareAndExchange(memory, index, expected, value);
    }

    /** As {@link #getAndSet(int[], int, int)}. */
    default long getAndSet(long[] memory, int index, long value) {
        return BlockAtomics.getAndSet(memory, index, value);
    }

    /** As {@link #getAndMin(int[], int, int)}. */
    default long getAndMin(long[] memory, int index, long value) {
        return BlockAtomics.update(memory, index, Math::min, value);
    }

    /** As {@link #getAndMax(int[], int, int)}. */
    default long getAndMax(long[] memory, int index, long value) {
        return BlockAtomics.update(memory, index, Math::max, value);
    }

    /** As {@link #compareAndExchange(int[], int, int, int)}. */
    default long compareAndExchange(long[] memory, int index, long expected, long value) {
        return BlockAtomics.compareAndExchange(memory, index, expected, value);
    }
}
