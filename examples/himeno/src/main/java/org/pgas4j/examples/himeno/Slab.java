package org.pgas4j.examples.himeno;

import org.pgas4j.UsageException;

/**
 * The planes a rank computes: 1..{@code count} of its memory, where 0 and {@code count + 1} are copies of its neighbours' planes
 * or the grid's boundary.
 *
 * @param first plane of the grid
 * @param count of planes
 */
record Slab(int first, int count) {

    static Slab of(Settings settings, int ranks, int rank) {
        int inner = settings.planes() - 2;
        if (inner < ranks) {
            throw new UsageException("more ranks than planes: " + ranks + " ranks, " + inner
                    + " planes inside the grid (expected: ranks 1.." + inner + ")");
        }
        return new Slab(1 + rank * (inner / ranks) + Math.min(rank, inner % ranks),
                inner / ranks + (rank < inner % ranks ? 1 : 0));
    }

    /** Floats of one pressure field of a rank; the same on all, so that a place has one address everywhere. */
    static long capacity(Settings settings, int ranks) {
        return (of(settings, ranks, 0).count + 2L) * settings.rows() * settings.columns();
    }
}
