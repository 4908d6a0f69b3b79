package org.pgas4j.array;

/**
 * Indices {@code from} to {@code to - 1} of one dimension.
 *
 * @param from first index
 * @param to   one past the last; not before {@code from}
 */
public record Range(long from, long to) {

    public Range {
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("range: from=" + from + " to=" + to + " (expected: 0 <= from <= to)");
        }
    }

    /** Indices {@code from} to {@code to - 1}. */
    public static Range of(long from, long to) {
        return new Range(from, to);
    }

    /** One index. */
    public static Range at(long index) {
        return new Range(index, Math.addExact(index, 1));
    }

    /** Number of indices. */
    public long length() {
        return to - from;
    }
}
