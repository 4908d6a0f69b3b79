package org.pgas4j.kernel;

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

    /** Sum of the values of the warp's threads, lane by lane pairwise from the upper half down. */
    default int warpSum(int value) {
        int all = value;
        for (int by = 16; by > 0; by >>= 1) {
            int other = shuffleDown(all, by);
            all = lane() + by < lanes() ? all + other : all;
        }
        return shuffle(all, 0);
    }

    /** Sum of the values of the block's threads: of its warps, in their order. */
    default int blockSum(int value) {
        int warp = warpSum(value);
        int all = (int) fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            int other = (int) fromThread(warp, first);
            all = all + other;
        }
        return all;
    }

    /** Least of the values of the warp's threads, lane by lane pairwise from the upper half down. */
    default int warpMin(int value) {
        int all = value;
        for (int by = 16; by > 0; by >>= 1) {
            int other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.min(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** Least of the values of the block's threads: of its warps, in their order. */
    default int blockMin(int value) {
        int warp = warpMin(value);
        int all = (int) fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            int other = (int) fromThread(warp, first);
            all = Math.min(all, other);
        }
        return all;
    }

    /** Greatest of the values of the warp's threads, lane by lane pairwise from the upper half down. */
    default int warpMax(int value) {
        int all = value;
        for (int by = 16; by > 0; by >>= 1) {
            int other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.max(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** Greatest of the values of the block's threads: of its warps, in their order. */
    default int blockMax(int value) {
        int warp = warpMax(value);
        int all = (int) fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            int other = (int) fromThread(warp, first);
            all = Math.max(all, other);
        }
        return all;
    }

    /** As {@link #warpSum(int)}. */
    default long warpSum(long value) {
        long all = value;
        for (int by = 16; by > 0; by >>= 1) {
            long other = shuffleDown(all, by);
            all = lane() + by < lanes() ? all + other : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockSum(int)}. */
    default long blockSum(long value) {
        long warp = warpSum(value);
        long all = fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            long other = fromThread(warp, first);
            all = all + other;
        }
        return all;
    }

    /** As {@link #warpMin(int)}. */
    default long warpMin(long value) {
        long all = value;
        for (int by = 16; by > 0; by >>= 1) {
            long other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.min(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockMin(int)}. */
    default long blockMin(long value) {
        long warp = warpMin(value);
        long all = fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            long other = fromThread(warp, first);
            all = Math.min(all, other);
        }
        return all;
    }

    /** As {@link #warpMax(int)}. */
    default long warpMax(long value) {
        long all = value;
        for (int by = 16; by > 0; by >>= 1) {
            long other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.max(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockMax(int)}. */
    default long blockMax(long value) {
        long warp = warpMax(value);
        long all = fromThread(warp, 0);
        for (int first = 32; first < threads(); first += 32) {
            long other = fromThread(warp, first);
            all = Math.max(all, other);
        }
        return all;
    }

    /** As {@link #warpSum(int)}. */
    default float warpSum(float value) {
        float all = value;
        for (int by = 16; by > 0; by >>= 1) {
            float other = shuffleDown(all, by);
            all = lane() + by < lanes() ? all + other : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockSum(int)}. */
    default float blockSum(float value) {
        float warp = warpSum(value);
        float all = Float.intBitsToFloat((int) fromThread(Float.floatToRawIntBits(warp), 0));
        for (int first = 32; first < threads(); first += 32) {
            float other = Float.intBitsToFloat((int) fromThread(Float.floatToRawIntBits(warp), first));
            all = all + other;
        }
        return all;
    }

    /** As {@link #warpMin(int)}. */
    default float warpMin(float value) {
        float all = value;
        for (int by = 16; by > 0; by >>= 1) {
            float other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.min(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockMin(int)}. */
    default float blockMin(float value) {
        float warp = warpMin(value);
        float all = Float.intBitsToFloat((int) fromThread(Float.floatToRawIntBits(warp), 0));
        for (int first = 32; first < threads(); first += 32) {
            float other = Float.intBitsToFloat((int) fromThread(Float.floatToRawIntBits(warp), first));
            all = Math.min(all, other);
        }
        return all;
    }

    /** As {@link #warpMax(int)}. */
    default float warpMax(float value) {
        float all = value;
        for (int by = 16; by > 0; by >>= 1) {
            float other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.max(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockMax(int)}. */
    default float blockMax(float value) {
        float warp = warpMax(value);
        float all = Float.intBitsToFloat((int) fromThread(Float.floatToRawIntBits(warp), 0));
        for (int first = 32; first < threads(); first += 32) {
            float other = Float.intBitsToFloat((int) fromThread(Float.floatToRawIntBits(warp), first));
            all = Math.max(all, other);
        }
        return all;
    }

    /** As {@link #warpSum(int)}. */
    default double warpSum(double value) {
        double all = value;
        for (int by = 16; by > 0; by >>= 1) {
            double other = shuffleDown(all, by);
            all = lane() + by < lanes() ? all + other : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockSum(int)}. */
    default double blockSum(double value) {
        double warp = warpSum(value);
        double all = Double.longBitsToDouble(fromThread(Double.doubleToRawLongBits(warp), 0));
        for (int first = 32; first < threads(); first += 32) {
            double other = Double.longBitsToDouble(fromThread(Double.doubleToRawLongBits(warp), first));
            all = all + other;
        }
        return all;
    }

    /** As {@link #warpMin(int)}. */
    default double warpMin(double value) {
        double all = value;
        for (int by = 16; by > 0; by >>= 1) {
            double other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.min(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockMin(int)}. */
    default double blockMin(double value) {
        double warp = warpMin(value);
        double all = Double.longBitsToDouble(fromThread(Double.doubleToRawLongBits(warp), 0));
        for (int first = 32; first < threads(); first += 32) {
            double other = Double.longBitsToDouble(fromThread(Double.doubleToRawLongBits(warp), first));
            all = Math.min(all, other);
        }
        return all;
    }

    /** As {@link #warpMax(int)}. */
    default double warpMax(double value) {
        double all = value;
        for (int by = 16; by > 0; by >>= 1) {
            double other = shuffleDown(all, by);
            all = lane() + by < lanes() ? Math.max(all, other) : all;
        }
        return shuffle(all, 0);
    }

    /** As {@link #blockMax(int)}. */
    default double blockMax(double value) {
        double warp = warpMax(value);
        double all = Double.longBitsToDouble(fromThread(Double.doubleToRawLongBits(warp), 0));
        for (int first = 32; first < threads(); first += 32) {
            double other = Double.longBitsToDouble(fromThread(Double.doubleToRawLongBits(warp), first));
            all = Math.max(all, other);
        }
        return all;
    }

    // ---- atomic operations on memory of the block

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
        return BlockAtomics.getAndAdd(memory, index, value);
    }

    /** As {@link #getAndAdd(int[], int, int)}. */
    default double getAndAdd(double[] memory, int index, double value) {
        return BlockAtomics.getAndAdd(memory, index, value);
    }

    /** Replaces an element of memory of the block; returns what was there. */
    default int getAndSet(int[] memory, int index, int value) {
        return BlockAtomics.getAndSet(memory, index, value);
    }

    /** Sets an element of memory of the block to the lesser of it and {@code value}; returns what was there. */
    default int getAndMin(int[] memory, int index, int value) {
        return BlockAtomics.getAndMin(memory, index, value);
    }

    /** Sets an element of memory of the block to the greater of it and {@code value}; returns what was there. */
    default int getAndMax(int[] memory, int index, int value) {
        return BlockAtomics.getAndMax(memory, index, value);
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
        return BlockAtomics.getAndMin(memory, index, value);
    }

    /** As {@link #getAndMax(int[], int, int)}. */
    default long getAndMax(long[] memory, int index, long value) {
        return BlockAtomics.getAndMax(memory, index, value);
    }

    /** As {@link #compareAndExchange(int[], int, int, int)}. */
    default long compareAndExchange(long[] memory, int index, long expected, long value) {
        return BlockAtomics.compareAndExchange(memory, index, expected, value);
    }
}
