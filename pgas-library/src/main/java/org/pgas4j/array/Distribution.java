package org.pgas4j.array;

import java.util.Arrays;
import java.util.List;

/**
 * How an array of several dimensions is spread over a grid of ranks: an {@link Axis} for each dimension. Ranks are numbered in
 * the grid with the last dimension fastest; ranks of the job beyond the grid own nothing.
 */
public final class Distribution {

    /** Largest number of dimensions. */
    public static final int MAX_DIMENSIONS = 8;

    private final List<Axis> axes;
    private final int gridRanks;

    private Distribution(List<Axis> axes) {
        if (axes.isEmpty() || axes.size() > MAX_DIMENSIONS) {
            throw new IllegalArgumentException("distribution: dimensions=" + axes.size() + " (expected: 1.." + MAX_DIMENSIONS
                    + ")");
        }
        this.axes = axes;
        int ranks = 1;
        for (Axis axis : axes) {
            ranks = Math.multiplyExact(ranks, axis.ranks());
        }
        this.gridRanks = ranks;
    }

    /** A distribution of these dimensions. */
    public static Distribution of(Axis... axes) {
        return new Distribution(List.of(axes));
    }

    /**
     * One block for each rank, over a grid that is as square as the number of ranks permits: factors of it go, from the largest,
     * to the dimension whose blocks are longest.
     *
     * @throws IllegalArgumentException if {@code ranks} is below 1, or there are no lengths, too many, or a negative one
     */
    public static Distribution blocks(int ranks, long... lengths) {
        if (ranks < 1 || lengths.length == 0) {
            throw new IllegalArgumentException("distribution of blocks: ranks=" + ranks + " lengths=" + Arrays.toString(lengths)
                    + " (expected: ranks >= 1, 1.." + MAX_DIMENSIONS + " lengths)");
        }
        int[] grid = new int[lengths.length];
        Arrays.fill(grid, 1);
        int rest = ranks;
        for (int factor = largestPrime(rest); rest > 1; factor = largestPrime(rest)) {
            int longest = 0;
            for (int dimension = 1; dimension < lengths.length; dimension++) {
                if (lengths[dimension] / grid[dimension] > lengths[longest] / grid[longest]) {
                    longest = dimension;
                }
            }
            grid[longest] *= factor;
            rest /= factor;
        }
        Axis[] axes = new Axis[lengths.length];
        for (int dimension = 0; dimension < lengths.length; dimension++) {
            axes[dimension] = Axis.block(lengths[dimension], grid[dimension]);
        }
        return of(axes);
    }

    private static int largestPrime(int number) {
        int largest = 1;
        int rest = number;
        for (int factor = 2; (long) factor * factor <= rest; factor++) {
            while (rest % factor == 0) {
                largest = factor;
                rest /= factor;
            }
        }
        return Math.max(largest, rest);
    }

    /** Number of dimensions. */
    public int dimensions() {
        return axes.size();
    }

    /** One dimension. */
    public Axis axis(int dimension) {
        return axes.get(dimension);
    }

    /** Number of indices in one dimension. */
    public long length(int dimension) {
        return axes.get(dimension).length();
    }

    /** Number of ranks of the grid. */
    public int ranks() {
        return gridRanks;
    }

    /** True if no rank has more than one block. */
    public boolean isOneBlock() {
        return axes.stream().allMatch(Axis::isOneBlock);
    }

    /** The rank at these coordinates. */
    public int rank(int... coordinates) {
        int rank = 0;
        for (int dimension = 0; dimension < axes.size(); dimension++) {
            rank = rank * axes.get(dimension).ranks() + coordinates[dimension];
        }
        return rank;
    }

    /** Coordinates of a rank of the grid. */
    public int[] coordinates(int rank) {
        int[] coordinates = new int[axes.size()];
        int rest = rank;
        for (int dimension = axes.size() - 1; dimension >= 0; dimension--) {
            coordinates[dimension] = rest % axes.get(dimension).ranks();
            rest /= axes.get(dimension).ranks();
        }
        return coordinates;
    }

    /**
     * The rank that owns an element.
     *
     * @throws IndexOutOfBoundsException if there is no such element
     */
    public int rankOf(long... index) {
        requireInside(index);
        int rank = 0;
        for (int dimension = 0; dimension < axes.size(); dimension++) {
            rank = rank * axes.get(dimension).ranks() + axes.get(dimension).owner(index[dimension]);
        }
        return rank;
    }

    /** Number of indices in one dimension that a rank owns; 0 for a rank outside the grid. */
    public long lengthOn(int rank, int dimension) {
        return rank >= gridRanks ? 0 : axes.get(dimension).lengthOn(coordinates(rank)[dimension]);
    }

    void requireInside(long... index) {
        boolean inside = index.length == axes.size();
        for (int dimension = 0; inside && dimension < index.length; dimension++) {
            inside = index[dimension] >= 0 && index[dimension] < axes.get(dimension).length();
        }
        if (!inside) {
            throw new IndexOutOfBoundsException("index out of bounds: index=" + Arrays.toString(index) + " of " + this);
        }
    }

    @Override
    public boolean equals(Object object) {
        return this == object || object instanceof Distribution other && axes.equals(other.axes);
    }

    @Override
    public int hashCode() {
        return axes.hashCode();
    }

    @Override
    public String toString() {
        return "Distribution" + axes;
    }
}
