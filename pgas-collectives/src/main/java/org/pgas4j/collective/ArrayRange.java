package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;

/**
 * Indices of a shared array that a member reads, combines and writes in their order, a piece at a time. Members have equal
 * parts, one behind the other. Used by the rank's thread.
 */
record ArrayRange(SharedArray array, long begin, long end) {

    private static final int PIECE_BYTES = 64 << 10;

    static ArrayRange of(SharedArray array, Group group) {
        return new ArrayRange(array, begin(array.length(), group.index(), group.size()),
                begin(array.length(), group.index() + 1, group.size()));
    }

    private static long begin(long length, int member, int members) {
        return Math.multiplyHigh(length, member) == 0 ? length * member / members
                : length / members * member + length % members * member / members;
    }

    /** Whether there are elements, and their combination. */
    long[] combine(Reduction op) {
        ElementType type = array.type();
        int each = PIECE_BYTES / type.bytes();
        long[] total = new long[2];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, Long.BYTES);
            for (long i = begin; i < end; i += each) {
                long count = Math.min(each, end - i);
                array.get(i, count, piece);
                total[1] = ArrayElements.combine(type, op, piece, count, total[1], total[0] != 0);
                total[0] = 1;
            }
        }
        return total;
    }

    /**
     * Sets elements of another array to the combinations of those up to each.
     *
     * @param before whether there are elements of lower indices, and their combination
     */
    void writePrefixes(SharedArray into, Reduction op, long[] before) {
        ElementType type = array.type();
        int each = PIECE_BYTES / type.bytes();
        long total = before[1];
        boolean any = before[0] != 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, Long.BYTES);
            for (long i = begin; i < end; i += each) {
                long count = Math.min(each, end - i);
                array.get(i, count, piece);
                for (long j = 0; j < count; j++) {
                    long word = ArrayElements.word(type, piece, j);
                    total = any ? ArrayElements.apply(type, op, total, word) : word;
                    any = true;
                    ArrayElements.set(type, piece, j, total);
                }
                into.put(i, count, piece);
            }
        }
    }
}
