package org.pgas4j.array;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.Completion;
import org.pgas4j.Handle;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;

/** Transfers that read a rank's ghost cells from the owners of their elements; planned once for each choice of periodic dimensions. */
final class GhostExchange {

    /** A transfer from one owner. */
    private record Copy(SharedPointer from, SharedPointer to, Strided shape) {
    }

    private final GlobalArray array;
    private final Map<List<Boolean>, List<Copy>> plans = new HashMap<>();

    GhostExchange(GlobalArray array) {
        this.array = array;
    }

    /** Reads all ghost cells of this rank; complete when it returns. */
    void run(Rank rank, boolean[] periodic) {
        List<Boolean> key = new ArrayList<>();
        for (boolean each : periodic) {
            key.add(each);
        }
        List<Copy> copies = plans.computeIfAbsent(key, _ -> plan(periodic));
        Handle[] open = new Handle[copies.size()];
        for (int i = 0; i < open.length; i++) {
            Copy copy = copies.get(i);
            open[i] = rank.rma().copy(copy.to(), copy.from(), copy.shape(), Completion.HANDLE);
        }
        rank.rma().syncAll(open);
    }

    private List<Copy> plan(boolean[] periodic) {
        List<Copy> copies = new ArrayList<>();
        if (array.local().count() == 0) {
            return copies;
        }
        int own = array.team().rank();
        long[] strides = new long[periodic.length];
        long[] widths = new long[periodic.length];
        for (int dimension = 0; dimension < periodic.length; dimension++) {
            strides[dimension] = array.stride(dimension);
            widths[dimension] = array.ghosts(dimension);
        }
        GhostBoxes.forEach(array.distribution(), own, widths, periodic, (ranges, places) -> {
            long start = array.origin();
            for (int dimension = 0; dimension < places.length; dimension++) {
                start += places[dimension] * strides[dimension];
            }
            long boxStart = start;
            OwnerParts.forEach(array, ranges, strides, (owner, place, at, shape) -> copies.add(new Copy(array.pointer(owner, place),
                    array.pointer(own, boxStart + at), shape.reversed())));
        });
        return copies;
    }
}
