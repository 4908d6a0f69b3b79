package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Strided;

/** Loops over the pieces of a strided transfer in memory that the processor addresses. Any thread. */
final class HostPieces {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    /** Up to so many bytes words one by one are faster than the general copy. */
    private static final long MAX_RUN_OF_WORDS = 64;

    /**
     * Pieces that one call copies: a long loop is entered once and for all by code that the compilers make while it runs, and what
     * they leave again, at a kind of memory that is new to them, goes on in the interpreter to its end: 400 ns a piece, not 3.
     */
    private static final int PART = 1024;

    /** Side of a copy whose pieces lie one behind the other instead of at their strides. */
    enum Packed { NEITHER, DST, SRC }

    /** Work on neighbours of the innermost level. */
    @FunctionalInterface
    interface Row {

        /** {@code count} pieces from these offsets on, that many bytes apart. */
        void pieces(long dst, long dstStride, long src, long srcStride, long count);
    }

    private HostPieces() {
    }

    /** True if the pieces of a side, {@code dst} or the source, lie one behind the other. */
    static boolean isContiguous(Strided shape, boolean dst) {
        long bytes = shape.run();
        for (int level = shape.levels() - 1; level >= 0; level--) {
            if ((dst ? shape.dstStride(level) : shape.srcStride(level)) != bytes) {
                return false;
            }
            bytes *= shape.count(level);
        }
        return true;
    }

    /** Copies all pieces. */
    static void copy(MemorySegment dst, long dstStart, MemorySegment src, long srcStart, Strided shape) {
        copy(dst, dstStart, src, srcStart, shape, Packed.NEITHER, 0, shape.count());
    }

    /**
     * Copies pieces {@code first} to {@code first + count - 1}, counted with the innermost level fastest. On the packed side
     * piece {@code first} is at the start.
     */
    static void copy(MemorySegment dst, long dstStart, MemorySegment src, long srcStart, Strided shape, Packed packed, long first,
                     long count) {
        long run = shape.run();
        forEachRow(shape, packed, first, count, (d, dStride, s, sStride, n) ->
                row(dst, dstStart + d, dStride, src, srcStart + s, sStride, n, run));
    }

    /** Splits pieces {@code first} to {@code first + count - 1} into rows of the innermost level. */
    static void forEachRow(Strided shape, Packed packed, long first, long count, Row row) {
        int inner = shape.levels() - 1;
        long[] at = position(shape, first);
        for (long done = 0; done < count; ) {
            long dst = 0;
            long src = 0;
            for (int level = 0; level <= inner; level++) {
                dst += at[level] * shape.dstStride(level);
                src += at[level] * shape.srcStride(level);
            }
            long n = Math.min(count - done, shape.count(inner) - at[inner]);
            boolean dstPacked = packed == Packed.DST;
            boolean srcPacked = packed == Packed.SRC;
            row.pieces(dstPacked ? done * shape.run() : dst, dstPacked ? shape.run() : shape.dstStride(inner),
                    srcPacked ? done * shape.run() : src, srcPacked ? shape.run() : shape.srcStride(inner), n);
            done += n;
            at[inner] += n;
            for (int level = inner; level > 0 && at[level] == shape.count(level); level--) {
                at[level] = 0;
                at[level - 1]++;
            }
        }
    }

    private static long[] position(Strided shape, long piece) {
        long[] at = new long[shape.levels()];
        long rest = piece;
        for (int level = shape.levels() - 1; level >= 0; level--) {
            at[level] = level == 0 ? rest : rest % shape.count(level);
            rest /= Math.max(1, shape.count(level));
        }
        return at;
    }

    /** Copies {@code count} pieces, that many bytes apart. */
    static void row(MemorySegment dst, long d, long dStride, MemorySegment src, long s, long sStride, long count,
            long run) {
        for (long done = 0; done < count; done += PART) {
            part(dst, d + done * dStride, dStride, src, s + done * sStride, sStride, (int) Math.min(PART, count - done), run);
        }
    }

    /** A loop for each size of an element: the general copy takes longer to decide how than to move it. */
    private static void part(MemorySegment dst, long d, long dStride, MemorySegment src, long s, long sStride, int count,
            long run) {
        switch ((int) Math.min(run, Integer.MAX_VALUE)) {
            case Long.BYTES -> {
                for (int i = 0; i < count; i++) {
                    dst.set(LONG, d + i * dStride, src.get(LONG, s + i * sStride));
                }
            }
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    dst.set(INT, d + i * dStride, src.get(INT, s + i * sStride));
                }
            }
            case Short.BYTES -> {
                for (int i = 0; i < count; i++) {
                    dst.set(SHORT, d + i * dStride, src.get(SHORT, s + i * sStride));
                }
            }
            case Byte.BYTES -> {
                for (int i = 0; i < count; i++) {
                    dst.set(ValueLayout.JAVA_BYTE, d + i * dStride, src.get(ValueLayout.JAVA_BYTE, s + i * sStride));
                }
            }
            default -> {
                if (run <= MAX_RUN_OF_WORDS && run % Long.BYTES == 0) {
                    words(dst, d, dStride, src, s, sStride, count, run);
                    return;
                }
                for (int i = 0; i < count; i++) {
                    MemorySegment.copy(src, s + i * sStride, dst, d + i * dStride, run);
                }
            }
        }
    }

    private static void words(MemorySegment dst, long d, long dStride, MemorySegment src, long s, long sStride, int count,
            long run) {
        for (int i = 0; i < count; i++) {
            for (long at = 0; at < run; at += Long.BYTES) {
                dst.set(LONG, d + i * dStride + at, src.get(LONG, s + i * sStride + at));
            }
        }
    }
}
