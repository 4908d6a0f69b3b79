package org.pgas4j;


/**
 * Shared pointers from plain numbers. Such a pointer carries no generation: it is checked against the segment alone, so it
 * reaches memory of any allocation, freed or not. For runtimes, and for tests that look at memory as a whole; programs pass
 * pointers with {@link SharedPointer#words()} and {@link Memory#pointer(long...)}.
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

    /** As {@link Rank#createGrid}, with notification counters that start at {@code firstCount}: for tests of their wrap-around. */
    public static DeviceGrid createGrid(Rank rank, DeviceGrid.Options options, long firstCount) {
        return ((Lendable) rank).createGrid(options, firstCount);
    }

    /** The allocation a block of shared device memory belongs to; null for any other block. */
    public static Lease lease(Buffer block) {
        return block.lease();
    }
}
