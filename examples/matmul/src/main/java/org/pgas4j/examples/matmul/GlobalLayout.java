package org.pgas4j.examples.matmul;

import org.pgas4j.UsageException;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.examples.matmul.Matmul.MatmulAlgorithm;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;

/**
 * Distributions of global matrices, in one block for each rank or in blocks dealt out in turn. Index (j, i) of each is row i of
 * column j.
 *
 * @param grid ranks over C
 * @param a    k x m
 * @param b    n x k
 * @param c    n x m
 */
record GlobalLayout(MatmulGrid grid, Distribution a, Distribution b, Distribution c) {

    /**
     * Operands on C's grid; for sums that are reduced, the inner dimension over all ranks. Without a grid GPUs pull A by rows to
     * columns of B and C, so that each piece of A makes its own part of C and none is added to another; on the host device it costs
     * nothing to add one, and products of fewer rows cost more.
     */
    static GlobalLayout of(MatmulCase of, long m, long n, long k, int ranks, boolean hostDevice) {
        boolean replicated = of.algorithm() == MatmulAlgorithm.REPLICATED;
        boolean byRows = of.algorithm() == MatmulAlgorithm.PULL && of.grid() == null && !hostDevice;
        MatmulGrid grid = of.grid() != null ? of.grid() : replicated || byRows ? new MatmulGrid(1, ranks) : chosen(m, n, ranks);
        if (replicated && grid.p() > 1) {
            throw new UsageException("--grid " + grid + " with --algorithm replicated (expected: 1x" + ranks
                    + ": columns of B and C alone are spread)");
        }
        if (of.algorithm() == MatmulAlgorithm.CANNON && grid.p() != grid.q()) {
            throw new UsageException("--algorithm cannon on a grid of " + grid
                    + " (expected: a square grid, of 1, 4, 9, ... ranks)");
        }
        if (grid.ranks() != ranks) {
            throw new UsageException("--grid " + grid + " of " + grid.ranks() + " ranks (expected: " + ranks + " ranks)");
        }
        Distribution c = Distribution.of(axis(of, n, grid.q()), axis(of, m, grid.p()));
        if (byRows) {
            return new GlobalLayout(grid, Distribution.of(Axis.whole(k), axis(of, m, ranks)),
                    Distribution.of(axis(of, n, ranks), Axis.whole(k)), c);
        }
        return of.algorithm() == MatmulAlgorithm.REDUCE
                ? new GlobalLayout(grid, Distribution.of(Axis.block(k, ranks), Axis.whole(m)),
                        Distribution.of(Axis.whole(n), Axis.block(k, ranks)), c)
                : new GlobalLayout(grid, Distribution.of(axis(of, k, grid.q()), axis(of, m, grid.p())),
                        Distribution.of(axis(of, n, grid.q()), axis(of, k, grid.p())), c);
    }

    private static Axis axis(MatmulCase of, long length, int ranks) {
        return of.block() == 0 ? Axis.block(length, ranks) : Axis.blockCyclic(length, ranks, of.block());
    }

    private static MatmulGrid chosen(long m, long n, int ranks) {
        Distribution blocks = Distribution.blocks(ranks, n, m);
        return new MatmulGrid(blocks.axis(1).ranks(), blocks.axis(0).ranks());
    }
}
