package org.pgas4j;

import java.util.Arrays;

/**
 * Pieces of one size at regular distances, in any number of levels: the descriptor of UPC's {@code upc_memput_strided} and of the
 * strided transfers of GASNet. Piece (i0, i1, ...) of {@link #run()} bytes starts at byte {@code i0 * stride(0) + i1 * stride(1)
 * + ...} of each side. Level 0 is the outermost.
 *
 * <p>Levels that are contiguous on both sides are merged, so that two descriptors of the same bytes in the same order look alike;
 * there is always one level.
 */
public final class Strided implements Pieces {

    private final long run;
    private final long[] counts;
    private final long[] dstStrides;
    private final long[] srcStrides;
    private final long count;
    private final long dstExtent;
    private final long srcExtent;

    private Strided(long run, long[] counts, long[] dstStrides, long[] srcStrides) {
        this.run = run;
        this.counts = counts;
        this.dstStrides = dstStrides;
        this.srcStrides = srcStrides;
        try {
            long pieces = 1;
            for (long each : counts) {
                pieces = Math.multiplyExact(pieces, each);
            }
            this.count = run == 0 ? 0 : pieces;
            this.dstExtent = extent(dstStrides);
            this.srcExtent = extent(srcStrides);
            Math.multiplyExact(count, run);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("strided transfer of more than " + Long.MAX_VALUE + " bytes: " + this, e);
        }
    }

    private long extent(long[] strides) {
        if (count == 0) {
            return 0;
        }
        long end = run;
        for (int level = 0; level < counts.length; level++) {
            end = Math.addExact(end, Math.multiplyExact(counts[level] - 1, strides[level]));
        }
        return end;
    }

    /** {@code bytes} bytes that are contiguous on both sides. */
    public static Strided contiguous(long bytes) {
        return of(bytes, new long[0], new long[0], new long[0]);
    }

    /**
     * A matrix: {@code rows} pieces of {@code run} bytes.
     *
     * @param dstStride bytes from one row to the next in the destination
     * @param srcStride bytes from one row to the next in the source
     */
    public static Strided rows(long run, long rows, long dstStride, long srcStride) {
        return of(run, new long[] {rows}, new long[] {dstStride}, new long[] {srcStride});
    }

    /**
     * Any number of levels, the outermost first.
     *
     * @param run        bytes of a piece
     * @param counts     of each level
     * @param dstStrides bytes between neighbours of each level in the destination
     * @param srcStrides the same in the source
     * @throws IllegalArgumentException if the arrays differ in length, a number is negative, or extents do not fit a long
     */
    public static Strided of(long run, long[] counts, long[] dstStrides, long[] srcStrides) {
        int levels = counts.length;
        boolean bad = run < 0 || dstStrides.length != levels || srcStrides.length != levels;
        for (int level = 0; level < levels && !bad; level++) {
            bad = counts[level] < 0 || dstStrides[level] < 0 || srcStrides[level] < 0;
        }
        if (bad) {
            throw new IllegalArgumentException("strided transfer: run=" + run + " counts=" + Arrays.toString(counts)
                    + " dstStrides=" + Arrays.toString(dstStrides) + " srcStrides=" + Arrays.toString(srcStrides)
                    + " (expected: as many of each, none negative)");
        }
        return merged(run, counts, dstStrides, srcStrides);
    }

    /** Drops levels of one piece, and merges those that continue the level inside them on both sides. */
    private static Strided merged(long run, long[] counts, long[] dst, long[] src) {
        int at = counts.length;
        long[] n = new long[at + 1];
        long[] d = new long[at + 1];
        long[] s = new long[at + 1];
        long whole = run;
        for (int level = counts.length - 1; level >= 0; level--) {
            boolean innermost = at == counts.length;
            if (counts[level] == 1) {
                continue;
            }
            if (innermost && dst[level] == whole && src[level] == whole && fits(whole, counts[level])) {
                whole *= counts[level];
            } else if (!innermost && fits(n[at], d[at]) && fits(n[at], s[at]) && dst[level] == n[at] * d[at]
                    && src[level] == n[at] * s[at] && fits(n[at], counts[level])) {
                n[at] *= counts[level];
            } else {
                at--;
                n[at] = counts[level];
                d[at] = dst[level];
                s[at] = src[level];
            }
        }
        if (at == counts.length) {
            return new Strided(whole, new long[] {1}, new long[] {whole}, new long[] {whole});
        }
        return new Strided(whole, Arrays.copyOfRange(n, at, counts.length), Arrays.copyOfRange(d, at, counts.length),
                Arrays.copyOfRange(s, at, counts.length));
    }

    private static boolean fits(long a, long b) {
        return b == 0 || a <= Long.MAX_VALUE / b;
    }

    /** Bytes of a piece, contiguous on both sides. */
    public long run() {
        return run;
    }

    /** Number of levels, 1 or more. */
    public int levels() {
        return counts.length;
    }

    /** Number of neighbours of a level. */
    public long count(int level) {
        return counts[level];
    }

    /** Bytes between neighbours of a level in the destination. */
    public long dstStride(int level) {
        return dstStrides[level];
    }

    /** Bytes between neighbours of a level in the source. */
    public long srcStride(int level) {
        return srcStrides[level];
    }

    /** The same pieces in the other direction. */
    public Strided reversed() {
        return new Strided(run, counts, srcStrides, dstStrides);
    }

    @Override
    public long bytes() {
        return count * run;
    }

    @Override
    public long count() {
        return count;
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
        if (count > 0) {
            visit(visitor, 0, 0, 0);
        }
    }

    private void visit(Visitor visitor, int level, long dst, long src) {
        for (long i = 0; i < counts[level]; i++) {
            if (level == counts.length - 1) {
                visitor.piece(dst + i * dstStrides[level], src + i * srcStrides[level], run);
            } else {
                visit(visitor, level + 1, dst + i * dstStrides[level], src + i * srcStrides[level]);
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Strided that && run == that.run && Arrays.equals(counts, that.counts)
                && Arrays.equals(dstStrides, that.dstStrides) && Arrays.equals(srcStrides, that.srcStrides);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * Long.hashCode(run) + Arrays.hashCode(counts)) + Arrays.hashCode(dstStrides))
                + Arrays.hashCode(srcStrides);
    }

    @Override
    public String toString() {
        return "Strided[run=" + run + " counts=" + Arrays.toString(counts) + " dstStrides=" + Arrays.toString(dstStrides)
                + " srcStrides=" + Arrays.toString(srcStrides) + "]";
    }
}
