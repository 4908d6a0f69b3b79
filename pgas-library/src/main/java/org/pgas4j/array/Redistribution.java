package org.pgas4j.array;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.Completion;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;

/**
 * Copies a section between two distributions: each rank puts its part to every new owner. Rank r begins with itself and goes on
 * with r + 1, r + 2, ..., so that in each step every rank receives from one other, as in an all-to-all exchange by rotation.
 */
final class Redistribution {

    private Redistribution() {
    }

    /** A transfer: destination is the owner's memory. */
    record Move(int owner, long to, long from, Strided shape) {
    }

    /** A section's place in memory: the same on all ranks. */
    record Place(Distribution distribution, List<Long> strides, List<Range> ranges) {

        static Place of(GlobalArray array, Range[] ranges) {
            List<Long> strides = new ArrayList<>();
            for (int dimension = 0; dimension < ranges.length; dimension++) {
                strides.add(array.stride(dimension));
            }
            return new Place(array.distribution(), strides, List.of(ranges));
        }

        /** Side of an overlap in a dimension. */
        Overlap.Side side(int dimension, int[] coordinates) {
            Range range = ranges.get(dimension);
            return new Overlap.Side(distribution.axis(dimension), coordinates[dimension], range.from(), range.step());
        }
    }

    /** Moves of the copies that were made of an array last: programs repeat them, and some take long to find. */
    static final class Plans {

        private static final int MAX_PLANS = 8;

        /** A copy to a place with these strides, and its moves. */
        private record Plan(Range[] fromRanges, Place to, int[] order, List<Move> moves) {

            boolean isOf(Range[] ranges, GlobalArray dst, Range[] dstRanges, int[] dimensions) {
                boolean same = to.distribution().equals(dst.distribution()) && Arrays.equals(order, dimensions)
                        && Arrays.equals(fromRanges, ranges) && to.ranges().equals(Arrays.asList(dstRanges));
                for (int dimension = 0; same && dimension < dstRanges.length; dimension++) {
                    same = to.strides().get(dimension) == dst.stride(dimension);
                }
                return same;
            }
        }

        private final ArrayDeque<Plan> plans = new ArrayDeque<>(); // the newest first

        private List<Move> moves(GlobalArray from, Range[] fromRanges, GlobalArray to, Range[] toRanges, int[] order) {
            for (Plan plan : plans) {
                if (plan.isOf(fromRanges, to, toRanges, order)) {
                    return plan.moves();
                }
            }
            Place place = Place.of(to, toRanges);
            Plan plan = new Plan(fromRanges.clone(), place, order.clone(), Redistribution.moves(from.team().rank(),
                    Place.of(from, fromRanges), place, to.elementBytes(), order));
            plans.addFirst(plan);
            if (plans.size() > MAX_PLANS) {
                plans.removeLast();
            }
            return plan.moves();
        }
    }

    /** Puts this rank's elements of {@code from}; complete locally at return. */
    static void copy(Plans plans, GlobalArray from, Range[] fromRanges, GlobalArray to, Range[] toRanges, int[] order) {
        Rank rank = from.owner();
        int me = from.team().rank();
        if (me >= from.distribution().ranks()) {
            return;
        }
        List<SharedPointer> dst = new ArrayList<>();
        List<SharedPointer> src = new ArrayList<>();
        List<Strided> shapes = new ArrayList<>();
        for (Move move : plans.moves(from, fromRanges, to, toRanges, order)) {
            dst.add(to.pointer(move.owner(), to.origin() + move.to()));
            src.add(from.pointer(me, from.origin() + move.from()));
            shapes.add(move.shape());
        }
        rank.rma().copyList(dst, src, shapes, Completion.LOCAL);
    }

    /**
     * Transfers of a rank, all of one owner next to each other.
     *
     * @param bytes of an element
     * @param order dimension {@code d} of {@code from} becomes dimension {@code order[d]} of {@code to}
     */
    static List<Move> moves(int rank, Place from, Place to, long bytes, int... order) {
        int owners = to.distribution().ranks();
        List<Move> moves = new ArrayList<>();
        for (int step = 0; step < owners; step++) {
            int owner = (rank + step) % owners;
            between(from, from.distribution().coordinates(rank), to, to.distribution().coordinates(owner), bytes, order)
                    .forEach((a, b, shape) -> moves.add(new Move(owner, a, b, shape)));
        }
        return moves;
    }

    /** Transfers from the part of {@code from} at coordinates {@code own} to that of {@code to} at {@code their}. */
    private static Moves between(Place from, int[] own, Place to, int[] their, long bytes, int... order) {
        int dimensions = order.length;
        List<List<Overlap>> overlaps = new ArrayList<>();
        long[] toStrides = new long[dimensions];
        long[] fromStrides = new long[dimensions];
        // in the order of the destination's dimensions, so that neighbouring pieces are written next to each other
        for (int target = 0; target < dimensions; target++) {
            int source = 0;
            while (order[source] != target) {
                source++;
            }
            overlaps.add(Overlap.of(to.side(target, their), from.side(source, own), to.ranges().get(target).length()));
            toStrides[target] = to.strides().get(target);
            fromStrides[target] = from.strides().get(source);
        }
        return new Moves(overlaps, toStrides, fromStrides, bytes);
    }
}
