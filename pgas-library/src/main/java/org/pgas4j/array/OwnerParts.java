package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Strided;

/** Parts of a box of a global array, each of one owner, with the transfers that move it. */
final class OwnerParts {

    /** Takes the part of a box that one rank owns. */
    @FunctionalInterface
    interface Body {

        /**
         * A part.
         *
         * @param place of its first element in the owner's memory
         * @param at    of its first element in the box
         * @param shape destination is the owner's memory, source that of the box
         */
        void part(int owner, long place, long at, Strided shape);
    }

    private final GlobalArray array;
    private final Range[] ranges;
    private final long[] strides; // of the array's memory
    private final long[] boxStrides;
    private final int[] coordinates;
    private final List<List<Overlap>> overlaps = new ArrayList<>();

    private OwnerParts(GlobalArray array, Range[] ranges, long[] boxStrides) {
        this.array = array;
        this.ranges = ranges;
        this.boxStrides = boxStrides;
        this.coordinates = new int[ranges.length];
        this.strides = new long[ranges.length];
        for (int dimension = 0; dimension < strides.length; dimension++) {
            strides[dimension] = array.stride(dimension);
        }
    }

    /** Calls {@code body} with the parts of all owners of a box, whose local memory has these strides, in elements. */
    static void forEach(GlobalArray array, Range[] ranges, long[] boxStrides, Body body) {
        new OwnerParts(array, ranges, boxStrides).visit(0, body);
    }

    private void visit(int dimension, Body body) {
        Distribution distribution = array.distribution();
        if (dimension == ranges.length) {
            int owner = distribution.rank(coordinates);
            new Moves(overlaps, strides, boxStrides, array.elementBytes())
                    .forEach((a, b, shape) -> body.part(owner, array.origin() + a, b, shape));
            return;
        }
        Axis axis = distribution.axis(dimension);
        Range range = ranges[dimension];
        Overlap.Side box = new Overlap.Side(Axis.whole(range.length()), 0, 0);
        for (int coordinate = 0; coordinate < axis.ranks(); coordinate++) {
            List<Overlap> own = Overlap.of(new Overlap.Side(axis, coordinate, range.from(), range.step()), box, range.length());
            if (!own.isEmpty()) {
                coordinates[dimension] = coordinate;
                overlaps.add(own);
                visit(dimension + 1, body);
                overlaps.removeLast();
            }
        }
    }
}
