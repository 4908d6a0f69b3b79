package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Completion;
import org.pgas4j.Handle;
import org.pgas4j.Rank;

/**
 * Copies a section between two distributions: each rank puts its part to every new owner. Rank r begins with itself and goes on
 * with r + 1, r + 2, ..., so that in each step every rank receives from one other, as in an all-to-all exchange by rotation.
 */
final class Redistribution {

    private Redistribution() {
    }

    /** Puts this rank's elements of {@code from}; complete locally at return. */
    static void copy(GlobalArray from, Range[] fromRanges, GlobalArray to, Range[] toRanges, int[] order) {
        Rank rank = from.owner();
        int me = from.team().rank();
        if (me >= from.distribution().ranks()) {
            return;
        }
        int owners = to.distribution().ranks();
        List<Handle> open = new ArrayList<>();
        for (int step = 0; step < owners; step++) {
            int owner = (me + step) % owners;
            moves(from, fromRanges, to, toRanges, order, owner).forEach((a, b, shape) -> open.add(rank.rma().copy(
                    to.pointer(owner, to.origin() + a), from.pointer(me, from.origin() + b), shape, Completion.HANDLE)));
        }
        rank.rma().syncAll(open.toArray(Handle[]::new));
    }

    /** Transfers from this rank's part of {@code from} to the part of {@code to} that {@code owner} has. */
    private static Moves moves(GlobalArray from, Range[] fromRanges, GlobalArray to, Range[] toRanges, int[] order, int owner) {
        int dimensions = order.length;
        int[] own = from.distribution().coordinates(from.team().rank());
        int[] their = to.distribution().coordinates(owner);
        List<List<Overlap>> overlaps = new ArrayList<>();
        long[] toStrides = new long[dimensions];
        long[] fromStrides = new long[dimensions];
        // in the order of the destination's dimensions, so that neighbouring pieces are written next to each other
        for (int target = 0; target < dimensions; target++) {
            int source = 0;
            while (order[source] != target) {
                source++;
            }
            overlaps.add(Overlap.of(
                    new Overlap.Side(to.distribution().axis(target), their[target], toRanges[target].from(),
                            toRanges[target].step()),
                    new Overlap.Side(from.distribution().axis(source), own[source], fromRanges[source].from(),
                            fromRanges[source].step()),
                    toRanges[target].length()));
            toStrides[target] = to.stride(target);
            fromStrides[target] = from.stride(source);
        }
        return new Moves(overlaps, toStrides, fromStrides, to.type().bytes());
    }
}
