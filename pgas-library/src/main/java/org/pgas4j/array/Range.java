package org.pgas4j.array;

/**
 * Indices {@code from}, {@code from + step}, ... below {@code to} of one dimension.
 *
 * @param from first index
 * @param to   one past the last; not before {@code from}
 * @param step 1 or more
 */
public record Range(long from, long to, long step) {

    public Range {
        if (from < 0 || to < from || step < 1) {
            throw new IllegalArgumentException("range: from=" + from + " to=" + to + " step=" + step
                    + " (expected: 0 <= from <= to, step >= 1)");
        }
    }

    /** Indices {@code from} to {@code to - 1}. */
    public Range(long from, long to) {
        this(from, to, 1);
    }

    /** Indices {@code from} to {@code to - 1}. */
    public static Range of(long from, long to) {
        return new Range(from, to, 1);
    }

    /** Indices {@code from}, {@code from + step}, ... below {@code to}. */
    public static Range of(long from, long to, long step) {
        return new Range(from, to, step);
    }

    /** One index. */
    public static Range at(long index) {
        return new Range(index, Math.addExact(index, 1), 1);
    }

    /** Number of indices. */
    public long length() {
        return Math.ceilDiv(to - from, step);
    }

    /**
     * A part of these indices, counted from the first one.
     *
     * @throws IndexOutOfBoundsException if it has indices that these have not
     */
    Range part(Range part) {
        if (part.length() > 0 && part.from + (part.length() - 1) * part.step >= length() || part.from > length()) {
            throw new IndexOutOfBoundsException(part + " of " + this);
        }
        long first = Math.min(to, from + part.from * step);
        long count = part.length();
        return count == 0 ? new Range(first, first, 1)
                : new Range(first, first + (count - 1) * part.step * step + 1, count == 1 ? 1 : part.step * step);
    }

    /** True if an index is in both. */
    boolean meets(Range other) {
        if (length() > other.length()) {
            return other.meets(this);
        }
        long last = other.from + (other.length() - 1) * other.step;
        long first = Math.max(0, Math.ceilDiv(other.from - from, step));
        long end = first + Math.min(length() - first, other.step); // remainders repeat behind it
        for (long i = first; i < end && from + i * step <= last; i++) {
            if ((from + i * step - other.from) % other.step == 0) {
                return true;
            }
        }
        return false;
    }
}
