package org.pgas4j.array;

/**
 * One dimension of a distribution: {@code length} indices in blocks of {@code block}, dealt out in turn to {@code ranks}
 * coordinates of the grid of ranks (Chapel's {@code BlockCyclic}, ScaLAPACK's layout in each dimension). Block and cyclic
 * distributions are those with the largest and the smallest block.
 *
 * @param length number of indices
 * @param ranks  coordinates of the grid in this dimension
 * @param block  indices of a block
 */
public record Axis(long length, int ranks, long block) {

    public Axis {
        if (length < 0 || ranks < 1 || block < 1 || block > Math.max(1, length)) {
            throw new IllegalArgumentException("axis: length=" + length + " ranks=" + ranks + " block=" + block
                    + " (expected: length >= 0, ranks >= 1, block 1.." + Math.max(1, length) + ")");
        }
    }

    /** All indices on one coordinate. */
    public static Axis whole(long length) {
        return block(length, 1);
    }

    /** One block of {@code ceil(length / ranks)} for each coordinate; the last ones may have fewer indices, or none. */
    public static Axis block(long length, int ranks) {
        return new Axis(length, ranks, Math.max(1, Math.ceilDiv(length, Math.max(1L, ranks))));
    }

    /** Index i on coordinate {@code i mod ranks}. */
    public static Axis cyclic(long length, int ranks) {
        return new Axis(length, ranks, 1);
    }

    /** Blocks of {@code block} indices, or of all where there are fewer. */
    public static Axis blockCyclic(long length, int ranks, long block) {
        return new Axis(length, ranks, Math.min(block, Math.max(1, length)));
    }

    /** True if no coordinate has more than one block. */
    public boolean isOneBlock() {
        return Math.ceilDiv(length, block) <= ranks;
    }

    /** Coordinate that owns an index. */
    public int owner(long index) {
        return (int) (index / block % ranks);
    }

    /** Place of an index among those of its owner. */
    public long local(long index) {
        return index / block / ranks * block + index % block;
    }

    /** The index at place {@code local} of a coordinate. */
    public long index(int coordinate, long local) {
        return (local / block * ranks + coordinate) * block + local % block;
    }

    /** Number of indices of a coordinate. */
    public long lengthOn(int coordinate) {
        long blocks = length / block;
        long own = blocks / ranks + (coordinate < blocks % ranks ? 1 : 0);
        return own * block + (coordinate == blocks % ranks ? length % block : 0);
    }

    /** Number of indices of coordinate 0, which has the most. */
    long maxLength() {
        return lengthOn(0);
    }

    /** Indices after which the owners repeat. */
    long period() {
        return ranks == 1 ? 1 : block * ranks;
    }

    /** First index from {@code index} on that a coordinate owns; may be past the last. */
    long nextOwned(int coordinate, long index) {
        if (ranks == 1) {
            return index;
        }
        long number = index / block;
        long behind = Math.floorMod(coordinate - number, (long) ranks);
        return behind == 0 ? index : (number + behind) * block;
    }

    /** End of the block of an index. */
    long blockEnd(long index) {
        return ranks == 1 ? length : (index / block + 1) * block;
    }
}
