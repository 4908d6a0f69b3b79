package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;

/**
 * Offsets of pieces of one size at the start of page-locked memory, for kernels: of each two longs, in the destination and in the
 * source. Where one side is packed, its pieces have room behind the list, one behind the other, and the list has their offsets
 * from there. Used by the rank's thread.
 */
final class OffsetList {

    private static final long ENTRY = 2 * Long.BYTES;

    private final MemorySegment memory;
    private final long pieceBytes;
    private final HostPieces.Packed packed;
    private final int capacity;
    private final long[] destinations; // that a packed one stands for
    private int count;
    private long bits;

    /** @param pieces how many there are, on one list or several */
    OffsetList(MemorySegment memory, long pieceBytes, HostPieces.Packed packed, long pieces) {
        this.memory = memory;
        this.pieceBytes = pieceBytes;
        this.packed = packed;
        this.capacity = (int) Math.min(pieces,
                memory.byteSize() / (ENTRY + (packed == HostPieces.Packed.NEITHER ? 0 : pieceBytes)));
        this.destinations = new long[packed == HostPieces.Packed.DST ? capacity : 0];
    }

    void clear() {
        count = 0;
        bits = 0;
    }

    boolean isFull() {
        return count == capacity;
    }

    void add(long dstOffset, long srcOffset) {
        long room = pieceBytes * count;
        long dst = packed == HostPieces.Packed.DST ? room : dstOffset;
        long src = packed == HostPieces.Packed.SRC ? room : srcOffset;
        if (packed == HostPieces.Packed.DST) {
            destinations[count] = dstOffset;
        }
        memory.setAtIndex(ElementType.LAYOUT_LONG, 2L * count, dst);
        memory.setAtIndex(ElementType.LAYOUT_LONG, 2L * count + 1, src);
        bits |= dst | src;
        count++;
    }

    int count() {
        return count;
    }

    long pieceBytes() {
        return pieceBytes;
    }

    /** All offsets of the list, or'ed. */
    long bits() {
        return bits;
    }

    /** Bytes of the list. */
    long bytes() {
        return ENTRY * count;
    }

    /** Offset of a piece in the destination, where that is packed. */
    long destination(int piece) {
        return destinations[piece];
    }

    /** Place of a piece in the memory, where one side is packed. */
    long room(int piece) {
        return roomOffset() + pieceBytes * piece;
    }

    /** Place of the first piece. */
    long roomOffset() {
        return ENTRY * capacity;
    }

    /** Bytes of the pieces. */
    long roomBytes() {
        return pieceBytes * count;
    }
}
