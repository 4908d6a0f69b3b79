package org.pgas4j;

/** A rank's shared memory, beyond the allocators of {@link Rank}. Used by the rank's thread. */
public interface Memory {

    /** Kind of memory that shared allocations come from now; see {@link Rank#onDevice()}. */
    MemoryKind allocationKind();

    /**
     * Allocates {@code nblocks} blocks of {@code blockBytes} bytes as {@link Rank#allAlloc}, called by one rank ({@code
     * upc_global_alloc}); the pointer goes to the caller alone.
     *
     * @throws SegmentMemoryException if a segment cannot hold its share
     */
    SharedPointer globalAlloc(long nblocks, long blockBytes);

    /**
     * Restores a pointer from the {@link SharedPointer#words()} that another rank has passed on. When this JVM first sees the
     * allocation's generation, it queries the owner.
     *
     * @throws IllegalArgumentException if the words are no pointer of this job's ranks
     * @throws StalePointerException    if nothing lives there with that generation
     */
    SharedPointer pointer(long... words);

    /**
     * The pointed-to memory as a buffer of {@code length} elements; also of this rank's device segment.
     *
     * @throws IllegalStateException if it has affinity to another rank
     */
    Buffer local(SharedPointer pointer, ElementType type, long length);

    /** Use of this rank's heap of {@code kind}. */
    HeapStats stats(MemoryKind kind);
}
