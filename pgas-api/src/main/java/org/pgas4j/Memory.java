package org.pgas4j;

import java.lang.foreign.MemorySegment;

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
     * A packing of pointers of one type into words. Not collective; the same arguments give the same packing on all ranks.
     *
     * @param kind          of the memory that they point to
     * @param blockElements their block size in elements, 0 for indefinite
     * @param elementBytes  their element size in bytes
     * @throws IllegalArgumentException if a word has not the bits for a rank, a phase and a place; names the bits of each
     */
    PointerPacking packing(MemoryKind kind, long blockElements, long elementBytes);

    /**
     * The pointed-to memory as a buffer of {@code length} elements; also of this rank's device segment.
     *
     * @throws IllegalStateException if it has affinity to another rank
     */
    Buffer local(SharedPointer pointer, ElementType type, long length);

    /**
     * True if {@link #cast} gives the memory ({@code upc_castable}): host memory of a rank of this node that is mapped here.
     */
    boolean isCastable(SharedPointer pointer);

    /**
     * The pointed-to host memory of any rank of this node, from the pointer to the end of its allocation, for plain loads and
     * stores ({@code upc_cast}); they are ordered by {@link Rank#fence()} and what synchronises ranks, as puts are. It is not
     * checked again after that: it must not be used after the allocation was freed.
     *
     * @throws IllegalStateException     if {@link #isCastable} is false; names kind and rank
     * @throws IndexOutOfBoundsException if the pointer leaves its allocation
     */
    MemorySegment cast(SharedPointer pointer);

    /** Use of this rank's heap of {@code kind}. */
    HeapStats stats(MemoryKind kind);
}
