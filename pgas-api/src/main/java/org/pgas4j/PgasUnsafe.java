package org.pgas4j;


/**
 * Addresses of other libraries as buffers and the other way round, and shared pointers from plain numbers. Such a pointer carries
 * no generation: it is checked against the segment alone, so it reaches memory of any allocation, freed or not. For runtimes, and
 * for tests that look at memory as a whole; programs pass pointers with {@link SharedPointer#words()} and {@link
 * Memory#pointer(long...)}.
 */
public final class PgasUnsafe {

    private PgasUnsafe() {
    }

    /**
     * A pointer with all its parts.
     *
     * @param rank          affinity, 0..ranks-1
     * @param ranks         number of ranks of the job
     * @param phase         position in the block in elements, 0..blockElements-1, 0 if indefinite
     * @param address       byte offset from the start of the segment of {@code kind} on {@code rank}
     * @param blockElements block size in elements, 0 for indefinite
     * @param elementBytes  element size in bytes, 1 or more
     * @throws IllegalArgumentException if a part is out of its range
     */
    public static SharedPointer pointer(MemoryKind kind, int rank, int ranks, long phase, long address, long blockElements,
                                        long elementBytes) {
        return SharedPointer.of(null, kind, rank, ranks, phase, address, blockElements, elementBytes);
    }

    /** As {@link #pointer(MemoryKind, int, int, long, long, long, long)}, into an allocation; null for none. */
    public static SharedPointer pointer(Lease lease, MemoryKind kind, int rank, int ranks, long phase, long address,
                                        long blockElements, long elementBytes) {
        return SharedPointer.of(lease, kind, rank, ranks, phase, address, blockElements, elementBytes);
    }

    /** The allocation a pointer belongs to; null for one that was made here without. */
    public static Lease lease(SharedPointer pointer) {
        return pointer.lease();
    }

    /** A block of shared device memory: as {@link Buffer#ofDevice}, in an allocation; null for none. */
    public static Buffer deviceBlock(Lease lease, DeviceMemory memory, long offset, ElementType type, long length) {
        return Buffer.ofDevice(memory, offset, type, length, lease);
    }

    /**
     * Lends a rank's transfers to the calling thread, whose they are from now on; the rank's own thread waits. For harnesses that
     * bring threads of their own.
     */
    public static void borrow(Rank rank) {
        ((Lendable) rank).lend(Thread.currentThread());
    }

    /**
     * As {@link Rank#createGrid}, with notification counters that start at {@code firstCount}: for tests of their wrap-around.
     */
    public static DeviceGrid createGrid(Rank rank, DeviceGrid.Options options, long firstCount) {
        return ((Lendable) rank).createGrid(options, firstCount);
    }

    /**
     * Device memory of another library as a buffer for copies, kernels, matrix products and transfers of a rank. The library
     * keeps the memory: it must stay allocated while it is used here, and closing the buffer does nothing. Ranges are checked
     * against {@code length} alone.
     *
     * @param address as kernels of the rank's device see it; on the host device the address of native memory
     * @param length  elements
     */
    public static Buffer deviceBuffer(long address, ElementType type, long length) {
        long bytes = type.bytes(length);
        if (address == 0 && bytes > 0 || address < 0 || address > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("device memory out of range: address=0x" + Long.toHexString(address)
                    + " length=" + bytes + " bytes (expected: the address of memory)");
        }
        return Buffer.ofDevice(new ForeignMemory(address, bytes), 0, type, length);
    }

    /**
     * The raw address of a buffer, for other libraries: on a device as its kernels see it, on the host that of the native memory.
     * It is valid as long as the buffer's memory is.
     *
     * @throws IllegalArgumentException if it is a Java array
     */
    public static long address(Buffer buffer) {
        if (buffer.kind() == MemoryKind.DEVICE) {
            return buffer.deviceMemory().address() + buffer.deviceOffset();
        }
        if (!buffer.segment().isNative()) {
            throw new IllegalArgumentException(buffer + " is a Java array, which has no address (expected: native memory)");
        }
        return buffer.segment().address();
    }

    /** Memory that another library keeps. */
    private record ForeignMemory(long address, long bytes) implements DeviceMemory {

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Its owner frees it.
        }
    }

    /** The allocation a block of shared device memory belongs to; null for any other block. */
    public static Lease lease(Buffer block) {
        return block.lease();
    }
}
