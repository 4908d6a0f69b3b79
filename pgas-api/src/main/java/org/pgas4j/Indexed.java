package org.pgas4j;

import java.util.Arrays;

/**
 * Pieces at any offsets: the index lists of UPC's {@code upc_memput_ilist}, with pieces of one size, and the vectors of {@code
 * upc_memput_vlist} and GASPI's {@code write_list}, with a size for each. Within one allocation of one rank.
 */
public final class Indexed implements Pieces {

    private final long[] dstOffsets;
    private final long[] srcOffsets;
    private final long[] lengths; // one for all, or one for each
    private final long bytes;
    private final long dstExtent;
    private final long srcExtent;

    private Indexed(long[] lengths, long[] dstOffsets, long[] srcOffsets) {
        this.lengths = lengths.clone();
        this.dstOffsets = dstOffsets.clone();
        this.srcOffsets = srcOffsets.clone();
        try {
            this.dstExtent = extent(this.dstOffsets);
            this.srcExtent = extent(this.srcOffsets);
            long sum = 0;
            for (int i = 0; i < dstOffsets.length; i++) {
                sum = Math.addExact(sum, length(i));
            }
            this.bytes = sum;
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("indexed transfer of more than " + Long.MAX_VALUE + " bytes", e);
        }
    }

    /**
     * Pieces of one size.
     *
     * @param pieceBytes size of each
     * @param dstOffsets where they go, bytes
     * @param srcOffsets where they come from, bytes
     * @throws IllegalArgumentException if the lists differ in length, or a number is negative
     */
    public static Indexed of(long pieceBytes, long[] dstOffsets, long[] srcOffsets) {
        return checked(new long[] {pieceBytes}, dstOffsets, srcOffsets);
    }

    /**
     * Pieces of different sizes.
     *
     * @param lengths    size of each, bytes
     * @param dstOffsets where they go, bytes
     * @param srcOffsets where they come from, bytes
     * @throws IllegalArgumentException if the lists differ in length, or a number is negative
     */
    public static Indexed list(long[] lengths, long[] dstOffsets, long[] srcOffsets) {
        if (lengths.length != dstOffsets.length) {
            throw new IllegalArgumentException("indexed transfer: lengths=" + lengths.length + " dstOffsets=" + dstOffsets.length
                    + " srcOffsets=" + srcOffsets.length + " (expected: as many of each)");
        }
        return checked(lengths, dstOffsets, srcOffsets);
    }

    private static Indexed checked(long[] lengths, long[] dstOffsets, long[] srcOffsets) {
        if (dstOffsets.length != srcOffsets.length) {
            throw new IllegalArgumentException("indexed transfer: dstOffsets=" + dstOffsets.length + " srcOffsets="
                    + srcOffsets.length + " (expected: as many of each)");
        }
        requireNotNegative("length", lengths);
        requireNotNegative("dstOffset", dstOffsets);
        requireNotNegative("srcOffset", srcOffsets);
        return new Indexed(lengths, dstOffsets, srcOffsets);
    }

    private static void requireNotNegative(String name, long[] values) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] < 0) {
                throw new IllegalArgumentException("indexed transfer: " + name + " " + i + " is " + values[i]
                        + " (expected: >= 0)");
            }
        }
    }

    /** Size of each piece in bytes, or -1 if they differ. */
    public long pieceBytes() {
        return lengths.length == 1 ? lengths[0] : -1;
    }

    /** Offset of a piece in the destination, bytes. */
    public long dstOffset(int piece) {
        return dstOffsets[piece];
    }

    /** Offset of a piece in the source, bytes. */
    public long srcOffset(int piece) {
        return srcOffsets[piece];
    }

    private long length(int i) {
        return lengths.length == dstOffsets.length ? lengths[i] : lengths[0];
    }

    private long extent(long[] offsets) {
        long end = 0;
        for (int i = 0; i < offsets.length; i++) {
            if (length(i) > 0) {
                end = Math.max(end, Math.addExact(offsets[i], length(i)));
            }
        }
        return end;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public long count() {
        return dstOffsets.length;
    }

    @Override
    public long dstExtent() {
        return dstExtent;
    }

    @Override
    public long srcExtent() {
        return srcExtent;
    }

    @Override
    public void forEach(Visitor visitor) {
        for (int i = 0; i < dstOffsets.length; i++) {
            visitor.piece(dstOffsets[i], srcOffsets[i], length(i));
        }
    }

    @Override
    public String toString() {
        return "Indexed[count=" + dstOffsets.length + " lengths=" + (lengths.length == 1 ? Arrays.toString(lengths) : "differ")
                + " bytes=" + bytes + "]";
    }
}
