package org.pgas4j.space.heap;

import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.PointerPacking;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;

/** Pointers of one type into allocations of the heap, as words; {@link PointerPacking} draws them. Used by the rank's thread. */
public final class HeapPacking implements PointerPacking {

    private static final long MAX_UNIT_BYTES = 256; // at whose multiples allocations begin

    private final int rank;
    private final int ranks;
    private final SharedHeap heap;
    private final MemoryKind kind;
    private final long blockElements;
    private final long elementBytes;
    private final long capacityBytes;
    private final int unitBytes;
    private final int phaseShift;
    private final int rankShift;
    private final int generationShift;

    public HeapPacking(int rank, int ranks, SharedHeap heap, MemoryKind kind, long blockElements, long elementBytes) {
        if (blockElements < 0 || elementBytes < 1) {
            throw new IllegalArgumentException("packing by rank " + rank + ": blockElements=" + blockElements + " elementBytes="
                    + elementBytes + " (expected: 0 or more, and 1 or more)");
        }
        this.rank = rank;
        this.ranks = ranks;
        this.heap = heap;
        this.kind = kind;
        this.blockElements = blockElements;
        this.elementBytes = elementBytes;
        this.capacityBytes = heap.capacityBytes(kind);
        this.unitBytes = (int) Math.min(MAX_UNIT_BYTES, Long.lowestOneBit(elementBytes));
        int placeBits = bits(capacityBytes / unitBytes + 1);
        int phaseBits = bits(Math.max(1, blockElements) - 1);
        int rankBits = bits(ranks - 1);
        this.phaseShift = placeBits;
        this.rankShift = phaseShift + phaseBits;
        this.generationShift = rankShift + rankBits;
        if (generationShift > Long.SIZE) {
            throw new IllegalArgumentException("packing by rank " + rank + ": a pointer with " + rankBits + " bits for " + ranks
                    + " ranks, " + phaseBits + " for blocks of " + blockElements + " elements and " + placeBits + " for "
                    + capacityBytes + " bytes of " + kind + " memory in units of " + unitBytes + " needs " + generationShift
                    + " bits (expected: " + Long.SIZE + " at most); lower the block size or the heap of each rank");
        }
    }

    /** Number of bits of 0..{@code max}. */
    private static int bits(long max) {
        return Long.SIZE - Long.numberOfLeadingZeros(max);
    }

    @Override
    public MemoryKind kind() {
        return kind;
    }

    @Override
    public long blockElements() {
        return blockElements;
    }

    @Override
    public long elementBytes() {
        return elementBytes;
    }

    @Override
    public int unitBytes() {
        return unitBytes;
    }

    @Override
    public int generationBits() {
        return Long.SIZE - generationShift;
    }

    @Override
    public long pack(SharedPointer pointer) {
        if (pointer == null) {
            return 0;
        }
        if (pointer.kind() != kind || pointer.ranks() != ranks || pointer.blockElements() != blockElements
                || pointer.elementBytes() != elementBytes) {
            throw refused(pointer, "a pointer of this type");
        }
        Lease lease = PgasUnsafe.lease(pointer);
        if (lease == null) {
            throw refused(pointer, "a pointer that belongs to an allocation");
        }
        long address = pointer.addrField();
        if (address < lease.start() || address - lease.start() > lease.bytes()
                || lease.rank() != Lease.EVERY_RANK && lease.rank() != pointer.rank()) {
            throw refused(pointer, "a pointer into its allocation, " + lease);
        }
        if (address % unitBytes != 0) {
            throw refused(pointer, "an address that is a multiple of " + unitBytes);
        }
        long generation = generationBits() == 0 ? 0 : lease.generation() << generationShift;
        return generation | (long) pointer.rank() << rankShift | pointer.phase() << phaseShift | address / unitBytes + 1;
    }

    private IllegalArgumentException refused(SharedPointer pointer, String expected) {
        return new IllegalArgumentException("pack by rank " + rank + " with " + this + ": " + pointer + " (expected: " + expected
                + ")");
    }

    @Override
    public SharedPointer unpack(long word) {
        if (word == 0) {
            return null;
        }
        long place = field(word, 0, phaseShift) - 1;
        long phase = field(word, phaseShift, rankShift);
        long on = field(word, rankShift, generationShift);
        if (place < 0 || place > capacityBytes / unitBytes || phase >= Math.max(1, blockElements) || on >= ranks) {
            throw new IllegalArgumentException("unpack by rank " + rank + " with " + this + ": 0x" + Long.toHexString(word)
                    + " has rank=" + on + " phase=" + phase + " place=" + place + " (expected: less than " + ranks + ", less than "
                    + Math.max(1, blockElements) + ", 0.." + capacityBytes / unitBytes + ")");
        }
        long generation = field(word, generationShift, Long.SIZE);
        Lease lease = heap.findAt(kind, (int) on, place * unitBytes, generation, generationBits());
        if (lease == null) {
            throw new StalePointerException("unpack by rank " + rank + " with " + this + ": nothing lives at address "
                    + place * unitBytes + " of rank " + on + (generationBits() == 0 ? "" : " with a generation that ends in the "
                    + generationBits() + " bits 0x" + Long.toHexString(generation)) + "; the memory was freed");
        }
        return PgasUnsafe.pointer(lease, kind, (int) on, ranks, phase, place * unitBytes, blockElements, elementBytes);
    }

    /** Bits {@code from} to {@code to - 1} of a word. */
    private static long field(long word, int from, int to) {
        return from == to ? 0 : word << Long.SIZE - to >>> Long.SIZE - to + from;
    }

    @Override
    public String toString() {
        return "PointerPacking[" + kind + " block=" + (blockElements == 0 ? "indefinite" : Long.toString(blockElements)) + "x"
                + elementBytes + "B]";
    }
}
