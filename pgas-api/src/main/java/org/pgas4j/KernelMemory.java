package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * Memory as kernels on the host device reach it, for runtimes. A thread that runs part of a kernel has one: elements of shared
 * arrays and buffers are read and written through it there.
 */
public abstract class KernelMemory {

    private static final ThreadLocal<KernelMemory> CURRENT = new ThreadLocal<>();

    /** Memory of one launch. */
    protected KernelMemory() {
    }

    /** Memory of a rank's host or device segment; null if this device does not reach it. */
    protected abstract MemorySegment segment(int rank, MemoryKind kind);

    /** Memory of a buffer of the rank's device. */
    protected abstract MemorySegment memory(Buffer buffer);

    /** That of the calling thread; null outside of kernels. */
    static KernelMemory current() {
        return CURRENT.get();
    }

    /** Runs {@code part} of a kernel with this memory. */
    public final void run(Runnable part) {
        KernelMemory before = CURRENT.get();
        CURRENT.set(this);
        try {
            part.run();
        } finally {
            CURRENT.set(before);
        }
    }
}
