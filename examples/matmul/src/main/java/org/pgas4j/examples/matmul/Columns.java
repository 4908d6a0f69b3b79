package org.pgas4j.examples.matmul;

import org.pgas4j.UsageException;

/**
 * The columns of B and C that one rank has: {@code ceil(n / ranks)} of them in order of the ranks, fewer or none at the
 * end.
 *
 * @param first first column
 * @param count number of columns
 */
record Columns(long first, long count) {

    /** Columns of a full share. */
    static long width(long n, int ranks) {
        return Math.ceilDiv(n, (long) ranks);
    }

    /** @throws UsageException if there are more ranks than columns */
    static Columns of(long n, int ranks, int rank) {
        checkRanks(n, ranks);
        long width = width(n, ranks);
        long first = Math.min(n, rank * width);
        return new Columns(first, Math.min(width, n - first));
    }

    static void checkRanks(long n, int ranks) {
        if (ranks > n) {
            throw new UsageException("more ranks than columns: " + ranks + " ranks, " + n + " columns (expected: "
                    + "--ranks 1.." + n + ")");
        }
    }
}
