package org.pgas4j.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Indices of one to three dimensions that a rank's kernel goes through: nested ranges with steps, of which each dimension may be
 * dealt out to ranks in blocks ({@code upc_forall} with an integer as affinity). {@link #of} gives all indices to every rank that
 * uses it. Immutable.
 */
public final class IndexSpace {

    /** Largest number of dimensions. */
    public static final int MAX_DIMENSIONS = 3;

    /**
     * Indices of one dimension: those of {@code from}, {@code from + step}, ... below {@code to} for which {@code index / block %
     * ranks} is {@code coordinate}.
     *
     * @param from       first index, 0 or more
     * @param to         one past the last; not before {@code from}
     * @param step       1 or more
     * @param block      indices that go to one coordinate in a row; 1 or more
     * @param ranks      coordinates that blocks are dealt to; 1 for no division
     * @param coordinate whose indices these are
     */
    public record Dimension(long from, long to, long step, long block, int ranks, int coordinate) {

        public Dimension {
            if (from < 0 || to < from || step < 1 || block < 1 || ranks < 1 || coordinate < 0 || coordinate >= ranks) {
                throw new IllegalArgumentException("dimension of an index space: from=" + from + " to=" + to + " step=" + step
                        + " block=" + block + " ranks=" + ranks + " coordinate=" + coordinate
                        + " (expected: 0 <= from <= to, step >= 1, block >= 1, 0 <= coordinate < ranks)");
            }
        }
    }

    private final List<Dimension> dimensions;

    private IndexSpace(List<Dimension> dimensions) {
        if (dimensions.isEmpty() || dimensions.size() > MAX_DIMENSIONS) {
            throw new IllegalArgumentException("index space: dimensions=" + dimensions.size() + " (expected: 1.." + MAX_DIMENSIONS
                    + ")");
        }
        this.dimensions = dimensions;
    }

    /** The indices of these dimensions, the last one fastest. */
    public static IndexSpace of(Dimension... dimensions) {
        return new IndexSpace(List.of(dimensions));
    }

    /** All indices from 0 to the lengths. */
    public static IndexSpace of(long... lengths) {
        return new IndexSpace(Arrays.stream(lengths).mapToObj(length -> new Dimension(0, length, 1, 1, 1, 0)).toList());
    }

    /** The same, but for the indices {@code from}, {@code from + step}, ... below {@code to} of one dimension. */
    public IndexSpace range(int dimension, long from, long to, long step) {
        Dimension of = dimensions.get(dimension);
        return with(dimension, new Dimension(from, to, step, of.block, of.ranks, of.coordinate));
    }

    /** The same, but for those indices of one dimension for which {@code index / block % ranks} is {@code coordinate}. */
    public IndexSpace dealt(int dimension, long block, int ranks, int coordinate) {
        Dimension of = dimensions.get(dimension);
        return with(dimension, new Dimension(of.from, of.to, of.step, block, ranks, coordinate));
    }

    /** The same, but for those indices of the first dimension that are {@code rank} modulo {@code ranks}: affinity by integer. */
    public IndexSpace byInteger(int ranks, int rank) {
        return dealt(0, 1, ranks, rank);
    }

    private IndexSpace with(int dimension, Dimension of) {
        List<Dimension> changed = new ArrayList<>(dimensions);
        changed.set(Objects.checkIndex(dimension, changed.size()), of);
        return new IndexSpace(List.copyOf(changed));
    }

    /** The dimensions, in order. */
    public List<Dimension> dimensions() {
        return dimensions;
    }

    @Override
    public String toString() {
        return "IndexSpace" + dimensions;
    }
}
