package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;

/**
 * Parts of an operand that a device multiplies while the next part comes, for which it has nothing else to do: a small one first,
 * each of the next ones so many times longer.
 */
final class GrowingCut {

    private static final long FIRST_OF = 16;
    /** A GPU multiplies rows of 16-bit floats, by a few thousand columns, this many times slower than it reads them from another. */
    private static final long GROWTH = 4;
    /** Fewer rows do not fill a GPU. */
    private static final long MIN_LENGTH = 512;

    private GrowingCut() {
    }

    static List<Range> of(Range whole) {
        List<Range> parts = new ArrayList<>();
        long length = Math.max(MIN_LENGTH, whole.length() / FIRST_OF);
        for (long from = whole.from(); from < whole.to(); length *= GROWTH) {
            long left = whole.to() - from;
            long part = left < length + MIN_LENGTH ? left : length;
            parts.add(Range.of(from, from + part));
            from += part;
        }
        return parts;
    }
}
