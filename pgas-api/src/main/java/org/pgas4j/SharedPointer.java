package org.pgas4j;


/**
 * UPC's pointer-to-shared: rank (thread), phase and address, with the block size and element size that its
 * arithmetic needs, and the kind of memory it points to. A small immutable value; {@link #equals} compares where it
 * points and with which layout.
 *
 * <p>Arithmetic follows section 6.4.2 of the UPC Language Specifications 1.3. With block size B (elements), element
 * size S and T ranks, {@code q = p.plus(i)} has
 * <pre>
 *   phase(q)   = (phase(p) + i) mod B
 *   rank(q)    = (rank(p) + (phase(p) + i) div B) mod T
 *   address(q) = address(p) + ((rank(p) + (phase(p) + i) div B) div T * B + phase(q) - phase(p)) * S
 * </pre>
 * with {@code div} and {@code mod} rounding towards minus infinity. A block size of 0 is indefinite ({@code []}): all
 * elements on one rank, phase always 0.
 *
 * <p>A pointer belongs to the allocation it came from and carries its generation. Arithmetic may lead anywhere; whoever uses
 * the pointer is refused outside that allocation ({@link IndexOutOfBoundsException}) and after it was freed
 * ({@link StalePointerException}), also when the memory has been given to somebody else since.
 */
public final class SharedPointer {

    /** Number of {@link #words()}. */
    public static final int WORDS = 7;

    private final Lease lease;
    private final MemoryKind kind;
    private final int rank;
    private final int ranks;
    private final long phase;
    private final long address;
    private final long blockElements;
    private final long elementBytes;

    private SharedPointer(Lease lease, MemoryKind kind, int rank, int ranks, long phase, long address, long blockElements,
                          long elementBytes) {
        this.lease = lease;
        this.kind = kind;
        this.rank = rank;
        this.ranks = ranks;
        this.phase = phase;
        this.address = address;
        this.blockElements = blockElements;
        this.elementBytes = elementBytes;
    }

    /** See {@link PgasUnsafe#pointer(Lease, MemoryKind, int, int, long, long, long, long)}. */
    static SharedPointer of(Lease lease, MemoryKind kind, int rank, int ranks, long phase, long address, long blockElements,
                            long elementBytes) {
        if (kind == null || rank < 0 || rank >= ranks || blockElements < 0 || elementBytes <= 0 || phase < 0
                || phase >= Math.max(1, blockElements) || address < 0) {
            throw new IllegalArgumentException("shared pointer out of range: kind=" + kind + " rank=" + rank
                    + " ranks=" + ranks + " phase=" + phase + " address=" + address + " block=" + blockElements
                    + " elementBytes=" + elementBytes);
        }
        return new SharedPointer(lease, kind, rank, ranks, phase, address, blockElements, elementBytes);
    }

    /**
     * True if {@code bytes} bytes from here on, all with affinity to {@link #rank()}, are inside the pointer's allocation and that
     * was not freed. False for a pointer whose allocation is not known.
     */
    public boolean covers(long bytes) {
        return lease != null && !lease.refuses(rank, address, bytes);
    }

    Lease lease() {
        return lease;
    }

    /** The generation of the pointer's allocation; 0 if it was made by {@link PgasUnsafe} without one. */
    public long generation() {
        return lease == null ? 0 : lease.generation();
    }

    /**
     * This pointer as {@link #WORDS} words, to be passed to another rank, whose {@link Memory#pointer(long...)} makes a pointer
     * of them again.
     */
    public long[] words() {
        return new long[] {kind.code(), (long) rank << 32 | ranks, phase, address, blockElements, elementBytes, generation()};
    }

    /** HOST or DEVICE. */
    public MemoryKind kind() {
        return kind;
    }

    /** The rank the pointed-to element has affinity to ({@code upc_threadof}). */
    public int rank() {
        return rank;
    }

    /** Position inside the block, in elements ({@code upc_phaseof}). */
    public long phase() {
        return phase;
    }

    /** Byte offset from the start of the rank's segment ({@code upc_addrfield}). */
    public long addrField() {
        return address;
    }

    /** Block size in elements; 0 is indefinite. */
    public long blockElements() {
        return blockElements;
    }

    /** Element size in bytes. */
    public long elementBytes() {
        return elementBytes;
    }

    /** Number of ranks the arithmetic deals blocks to. */
    public int ranks() {
        return ranks;
    }

    /** The pointer {@code elements} further, which may be negative. O(1). */
    public SharedPointer plus(long elements) {
        if (blockElements == 0) {
            long moved = Math.addExact(address, Math.multiplyExact(elements, elementBytes));
            return moved(rank, 0, moved);
        }
        long position = Math.addExact(phase, elements);
        long newPhase = Math.floorMod(position, blockElements);
        long blocks = Math.floorDiv(position, blockElements) + rank;
        int newRank = (int) Math.floorMod(blocks, (long) ranks);
        long rows = Math.floorDiv(blocks, (long) ranks);
        long elementsMoved = Math.addExact(Math.multiplyExact(rows, blockElements), newPhase - phase);
        return moved(newRank, newPhase, Math.addExact(address, Math.multiplyExact(elementsMoved, elementBytes)));
    }

    /** The pointer {@code elements} back. */
    public SharedPointer minus(long elements) {
        return plus(Math.negateExact(elements));
    }

    /**
     * UPC's pointer difference: the n for which {@code other.plus(n)} equals this.
     *
     * @throws IllegalArgumentException if the two do not belong to one array (kind, layout, alignment or
     *                                  generation differ)
     */
    public long minus(SharedPointer other) {
        if (kind != other.kind || ranks != other.ranks || blockElements != other.blockElements
                || elementBytes != other.elementBytes || lease != null && other.lease != null
                && generation() != other.generation()) {
            throw new IllegalArgumentException("pointers of different arrays: " + this + " and " + other);
        }
        long bytes = Math.subtractExact(address, other.address);
        long elements = bytes / elementBytes;
        if (elements * elementBytes != bytes || blockElements == 0 && rank != other.rank) {
            throw new IllegalArgumentException("pointers of different arrays: " + this + " and " + other);
        }
        if (blockElements == 0) {
            return elements;
        }
        // address difference = (rows * B + phase difference) * S, see plus()
        long rowElements = elements - (phase - other.phase);
        if (rowElements % blockElements != 0) {
            throw new IllegalArgumentException("pointers of different arrays: " + this + " and " + other);
        }
        long blocks = Math.addExact(Math.multiplyExact(rowElements / blockElements, (long) ranks),
                (long) rank - other.rank);
        return Math.addExact(Math.multiplyExact(blocks, blockElements), phase - other.phase);
    }

    /** Order in the array: negative, zero or positive as this is before, at or after {@code other}. */
    public int compare(SharedPointer other) {
        return Long.signum(minus(other));
    }

    /** The same address with phase 0 ({@code upc_resetphase}). */
    public SharedPointer resetPhase() {
        return new SharedPointer(lease, kind, rank, ranks, 0, address, blockElements, elementBytes);
    }

    /**
     * The same place seen with another element size and block size, phase 0: UPC's cast between pointers-to-shared.
     *
     * @param newBlockElements block size in elements, 0 for indefinite
     * @param newElementBytes  element size in bytes
     */
    public SharedPointer cast(long newBlockElements, long newElementBytes) {
        return of(lease, kind, rank, ranks, 0, address, newBlockElements, newElementBytes);
    }

    /** The pointer at the same address field and phase on another rank, as in a symmetric allocation. */
    public SharedPointer onRank(int otherRank) {
        return of(lease, kind, otherRank, ranks, phase, address, blockElements, elementBytes);
    }

    private SharedPointer moved(int newRank, long newPhase, long newAddress) {
        return new SharedPointer(lease, kind, newRank, ranks, newPhase, newAddress, blockElements, elementBytes);
    }

    /**
     * UPC's {@code upc_affinitysize}: the bytes of an array that have affinity to one rank.
     *
     * @param totalBytes size of the array
     * @param blockBytes block size, 0 for indefinite (all on rank 0)
     * @param ranks      number of ranks
     * @param rank       which one
     */
    public static long affinityBytes(long totalBytes, long blockBytes, int ranks, int rank) {
        if (totalBytes < 0 || blockBytes < 0 || rank < 0 || rank >= ranks) {
            throw new IllegalArgumentException("affinity size out of range: totalBytes=" + totalBytes + " blockBytes="
                    + blockBytes + " ranks=" + ranks + " rank=" + rank);
        }
        if (blockBytes == 0) {
            return rank == 0 ? totalBytes : 0;
        }
        long fullBlocks = totalBytes / blockBytes;
        long tail = totalBytes % blockBytes;
        long blocks = fullBlocks / ranks + (rank < fullBlocks % ranks ? 1 : 0);
        return blocks * blockBytes + (rank == fullBlocks % ranks ? tail : 0);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof SharedPointer other && kind == other.kind && rank == other.rank
                && ranks == other.ranks && phase == other.phase && address == other.address
                && blockElements == other.blockElements && elementBytes == other.elementBytes
                && generation() == other.generation();
    }

    @Override
    public int hashCode() {
        return Long.hashCode(address * 31 + rank) * 31 + kind.hashCode();
    }

    @Override
    public String toString() {
        return kind + "[rank=" + rank + " phase=" + phase + " address=" + address + " block="
                + (blockElements == 0 ? "indefinite" : Long.toString(blockElements)) + "x" + elementBytes + "B]";
    }
}
