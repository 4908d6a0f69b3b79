package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalPlace;
import org.pgas4j.GlobalPlace.GridAxis;
import org.pgas4j.Team;
import org.pgas4j.kernel.IndexSpace;

/** Places and indices of global arrays as kernels have them. */
final class KernelPlaces {

    private KernelPlaces() {
    }

    /** Place of an array's elements for the calling rank. */
    static GlobalPlace of(GlobalArray array, ElementType type) {
        Distribution distribution = array.distribution();
        if (array.type() != type || distribution.dimensions() > GlobalPlace.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(array + " in kernels as one of " + type + " (expected: elements of that type, up to "
                    + GlobalPlace.MAX_DIMENSIONS + " dimensions)");
        }
        int[] coordinates = coordinates(array);
        List<GridAxis> axes = new ArrayList<>();
        for (int d = 0; d < distribution.dimensions(); d++) {
            Axis axis = distribution.axis(d);
            axes.add(new GridAxis(axis.length(), axis.ranks(), axis.block(), array.stride(d),
                    coordinates == null ? -1 : coordinates[d]));
        }
        return new GlobalPlace(array.pointer(0, 0), array.origin(), array.localCount(), array.team().worldRank(0),
                rankStep(array, distribution.ranks()), axes);
    }

    /** The calling rank's place in the grid; null if it is not in it. */
    private static int[] coordinates(GlobalArray array) {
        int rank = array.team().rank();
        return rank < array.distribution().ranks() ? array.distribution().coordinates(rank) : null;
    }

    private static int rankStep(GlobalArray array, int ranks) {
        Team team = array.team();
        int step = ranks == 1 ? 1 : team.worldRank(1) - team.worldRank(0);
        for (int member = 2; member < ranks; member++) {
            if (team.worldRank(member) - team.worldRank(member - 1) != step) {
                throw new IllegalArgumentException(array + " in kernels: member " + member + " of " + team + " is rank "
                        + team.worldRank(member) + " (expected: members at regular distances, here " + step
                        + ", as split() of every so many ranks or of ranks in a row gives)");
            }
        }
        return step;
    }

    /** The calling rank's indices of a box. */
    static IndexSpace space(GlobalArray array, Range... ranges) {
        int[] coordinates = coordinates(array);
        IndexSpace.Dimension[] dimensions = new IndexSpace.Dimension[ranges.length];
        for (int d = 0; d < ranges.length; d++) {
            Axis axis = array.distribution().axis(d);
            Range range = ranges[d];
            dimensions[d] = coordinates == null ? new IndexSpace.Dimension(0, 0, 1, 1, 1, 0)
                    : new IndexSpace.Dimension(range.from(), range.to(), range.step(), axis.block(), axis.ranks(), coordinates[d]);
        }
        return IndexSpace.of(dimensions);
    }
}
