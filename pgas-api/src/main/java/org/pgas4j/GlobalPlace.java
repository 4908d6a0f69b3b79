package org.pgas4j;

import java.util.List;

/**
 * Place of the elements of an array of one to three dimensions that is spread over a grid of ranks, as kernels find them; for
 * libraries. Every rank has its part at the same address of its segment and at the same strides.
 *
 * @param base      pointer to the start of a rank's memory, with the size of an element
 * @param origin    of the first own element in that memory, in elements
 * @param count     elements of that memory
 * @param firstRank rank of the job that is number 0 of the grid
 * @param rankStep  ranks of the job from one number of the grid to the next; the last dimension of the grid is fastest
 * @param axes      dimensions, in order; the last one has stride 1
 */
public record GlobalPlace(SharedPointer base, long origin, long count, int firstRank, int rankStep, List<GridAxis> axes) {

    /** Largest number of dimensions. */
    public static final int MAX_DIMENSIONS = 3;

    public GlobalPlace {
        axes = List.copyOf(axes);
        if (axes.isEmpty() || axes.size() > MAX_DIMENSIONS || axes.getLast().stride() != 1) {
            throw new IllegalArgumentException("array of " + axes.size() + " dimensions in kernels: " + axes + " (expected: 1.."
                    + MAX_DIMENSIONS + " dimensions, stride 1 in the last one)");
        }
    }

    /**
     * One dimension: {@code length} indices in blocks of {@code block} that are dealt to {@code ranks} coordinates in turn.
     *
     * @param stride     elements between neighbours in a rank's memory
     * @param coordinate of the calling rank; -1 if it has no elements
     */
    public record GridAxis(long length, int ranks, long block, long stride, int coordinate) {

        /** One index, which all ranks have. */
        static final GridAxis NONE = new GridAxis(1, 1, 1, 0, 0);

        public GridAxis {
            if (length < 0 || ranks < 1 || block < 1 || coordinate >= ranks) {
                throw new IllegalArgumentException("axis of an array in kernels: length=" + length + " ranks=" + ranks + " block="
                        + block + " coordinate=" + coordinate
                        + " (expected: length >= 0, ranks >= 1, block >= 1, coordinate < ranks)");
            }
        }

        int owner(long index) {
            return ranks == 1 ? 0 : (int) (index / block % ranks);
        }

        long local(long index) {
            return ranks == 1 ? index : index / block / ranks * block + index % block;
        }
    }

    /** The {@code number}-th axis of three, which leading ones of length 1 fill up. */
    public GridAxis axis(int number) {
        int missing = MAX_DIMENSIONS - axes.size();
        return number < missing ? GridAxis.NONE : axes.get(number - missing);
    }

    /** Offset of the first own element in a rank's segment, bytes. */
    public long offset() {
        return base.addrField() + origin * base.elementBytes();
    }
}
