package org.pgas4j.examples.matmul;

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

    static Columns of(long n, int ranks, int rank) {
        long width = width(n, ranks);
        long first = Math.min(n, rank * width);
        return new Columns(first, Math.min(width, n - first));
    }
}
