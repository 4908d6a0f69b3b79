package org.pgas4j;

/**
 * Packs pointers of one type into words of 8 bytes and back, as UPC compilers do, so that atomic operations read, write, swap and
 * compare them ({@code UPC_PTS}): {@link Atomics} and {@link AtomicDomain} of LONG on words that hold them. A type is the kind of
 * memory, the block size and the element size; the pointers may lead into any allocation of any rank, collective or not. Made by
 * {@link Memory#packing}; all ranks pack alike, and a word means the same on each of them.
 *
 * <pre>
 *   63                                                                    0
 *   | generation: the rest | rank: R bits | phase: F bits | place + 1: P bits |
 * </pre>
 *
 * <p>{@code place} is the byte offset in the rank's segment in units of {@link #unitBytes()}, the largest power of two that
 * divides the element size, 256 at most, for allocations begin at multiples of that. R, F and P are as many bits as the job's
 * ranks, a block's elements and the places of a segment need; {@code place + 1} goes one element beyond the segment's end. 0 is
 * null and no pointer.
 *
 * <p><b>Stale pointers.</b> {@link #unpack} finds the allocation that now lives at the place. Where none does it throws, and where
 * the low {@link #generationBits()} bits of its generation are not those of the word it does as well. Memory that was freed and
 * given out again is therefore recognised but for one case in {@code 2^generationBits()}; with 0 bits never. The same holds for a
 * compare-and-swap that meets a word of a freed node again.
 *
 * <p>Equal pointers have equal words. Used by the rank's thread; a first look at an allocation asks its owner.
 */
public interface PointerPacking {

    /** Kind of memory that the pointers point to. */
    MemoryKind kind();

    /** Block size of the pointers in elements; 0 is indefinite. */
    long blockElements();

    /** Element size of the pointers in bytes. */
    long elementBytes();

    /** Bytes that a place counts: offsets of packed pointers are multiples of it. */
    int unitBytes();

    /** Number of bits of an allocation's generation that a word keeps. */
    int generationBits();

    /**
     * The pointer as a word; 0 for null. The allocation may have been freed meanwhile, so that a word can be compared.
     *
     * @throws IllegalArgumentException if it has another type, belongs to no allocation, points outside it, but not to its end, or
     *                                  its offset is no multiple of {@link #unitBytes()}
     */
    long pack(SharedPointer pointer);

    /**
     * The pointer of a word, null for 0. It belongs to the allocation that lives at its place.
     *
     * @throws IllegalArgumentException if no pointer of this job has the word
     * @throws StalePointerException    if nothing lives there, or an allocation with other bits of its generation
     */
    SharedPointer unpack(long word);
}
