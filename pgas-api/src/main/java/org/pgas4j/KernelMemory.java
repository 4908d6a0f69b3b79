package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * Memory as kernels on the host device reach it, for runtimes. There a kernel runs with views in place of the buffers and
 * shared arrays that it has captured: a view knows the addresses of its elements, so that an access is a comparison and a load
 * or store. A view of a shared array is for one thread, and none is for use after the kernel.
 */
public final class KernelMemory {

    private static volatile MemorySegment given;

    /** A constant to the JIT compiler, which therefore knows the class of the segment and that its memory is no Java object. */
    private static final class Everything {

        private static final MemorySegment ALL = given;

        private Everything() {
        }
    }

    private final long[] device;
    private final long[] host;

    /**
     * @param all    all memory of the process, from address 0 on; the same in all calls
     * @param device addresses of the device segments by rank, 0 for those that the device does not reach
     * @param host   those of the host segments; null if the kernel uses none
     */
    public KernelMemory(MemorySegment all, long[] device, long[] host) {
        given = all;
        this.device = device;
        this.host = host;
    }

    /** All memory, at its addresses; for views alone. */
    static MemorySegment all() {
        return Everything.ALL;
    }

    /**
     * A buffer as kernels reach it.
     *
     * @param address of its first element
     */
    public Buffer view(Buffer buffer, long address) {
        return buffer.inKernel(address);
    }

    /**
     * A shared array as one thread of a kernel reaches it.
     *
     * @throws IllegalArgumentException if kernels have no such arrays
     */
    public SharedArray view(SharedArray array) {
        KernelElements elements = new KernelElements(array, addresses(array.kind()));
        return switch (array) {
            case SharedFloats of -> new SharedFloats(of, elements);
            case SharedDoubles of -> new SharedDoubles(of, elements);
            case SharedInts of -> new SharedInts(of, elements);
            case SharedLongs of -> new SharedLongs(of, elements);
            case SharedBytes of -> new SharedBytes(of, elements);
            case SharedShorts of -> new SharedShorts(of, elements);
            default -> throw new IllegalArgumentException(array + " in a kernel (expected: numbers)");
        };
    }

    /** Elements of a global array as one thread of a kernel reaches them. */
    public GlobalElements view(GlobalElements elements) {
        long[] addresses = addresses(elements.kind());
        return switch (elements) {
            case GlobalFloats of -> new GlobalFloats(of, addresses);
            case GlobalDoubles of -> new GlobalDoubles(of, addresses);
            case GlobalInts of -> new GlobalInts(of, addresses);
            case GlobalLongs of -> new GlobalLongs(of, addresses);
        };
    }

    private long[] addresses(MemoryKind kind) {
        return kind == MemoryKind.HOST ? host : device;
    }
}
