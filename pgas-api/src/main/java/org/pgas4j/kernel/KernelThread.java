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

    /** Waits for all threads of the block, which see each other's memory of the block and of the device from then on. */
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
}
