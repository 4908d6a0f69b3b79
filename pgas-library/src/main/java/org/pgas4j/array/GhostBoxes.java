package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;

/**
 * Boxes of ghost cells around a rank's block, each with the global indices of its elements: for every dimension the cells before
 * the block, the block or the cells behind it, but for the block itself. A dimension that repeats may need several boxes on one
 * side, and one without ghost cells that is dealt in blocks one for each of them.
 */
final class GhostBoxes {

    /** Takes one box. */
    @FunctionalInterface
    interface Body {

        /**
         * A box.
         *
         * @param ranges global indices
         * @param places of its first cell, counted from the block's first element
         */
        void box(Range[] ranges, long[] places);
    }

    /** Indices of one dimension, and their place. */
    private record Part(Range range, long place, boolean isGhost) {
    }

    private GhostBoxes() {
    }

    /** Calls {@code body} with every box of a rank that owns elements. */
    static void forEach(Distribution distribution, int rank, long[] ghosts, boolean[] periodic, Body body) {
        int[] coordinates = distribution.coordinates(rank);
        List<List<Part>> parts = new ArrayList<>();
        for (int dimension = 0; dimension < ghosts.length; dimension++) {
            parts.add(parts(distribution.axis(dimension), coordinates[dimension], ghosts[dimension], periodic[dimension]));
        }
        visit(parts, new Range[ghosts.length], new long[ghosts.length], 0, false, body);
    }

    private static List<Part> parts(Axis axis, int coordinate, long width, boolean periodic) {
        long from = axis.index(coordinate, 0);
        long length = axis.lengthOn(coordinate);
        List<Part> parts = new ArrayList<>();
        if (width > 0) {
            addGhosts(parts, axis, from - width, width, -width, periodic);
        }
        addOwn(parts, axis, coordinate, length);
        if (width > 0) {
            addGhosts(parts, axis, from + length, width, length, periodic);
        }
        return parts;
    }

    /** Indices that follow each other at one distance, in memory next to each other. */
    private static void addOwn(List<Part> parts, Axis axis, int coordinate, long length) {
        if (axis.isOneBlock() || axis.block() == 1) {
            long from = axis.index(coordinate, 0);
            long step = axis.isOneBlock() ? 1 : axis.ranks();
            parts.add(new Part(Range.of(from, from + (length - 1) * step + 1, step), 0, false));
            return;
        }
        for (long done = 0; done < length; done += axis.block()) {
            long from = axis.index(coordinate, done);
            parts.add(new Part(Range.of(from, from + Math.min(axis.block(), length - done)), done, false));
        }
    }

    private static void addGhosts(List<Part> parts, Axis axis, long from, long width, long place, boolean periodic) {
        for (long done = 0; done < width; ) {
            long index = from + done;
            boolean inside = index >= 0 && index < axis.length();
            long wrapped = Math.floorMod(index, axis.length());
            long run = inside || periodic ? Math.min(width - done, axis.length() - wrapped) : 1;
            if (inside || periodic) {
                parts.add(new Part(Range.of(wrapped, wrapped + run), place + done, true));
            }
            done += run;
        }
    }

    private static void visit(List<List<Part>> parts, Range[] ranges, long[] places, int dimension, boolean isGhost, Body body) {
        if (dimension == ranges.length) {
            if (isGhost) {
                body.box(ranges.clone(), places.clone());
            }
            return;
        }
        for (Part part : parts.get(dimension)) {
            ranges[dimension] = part.range();
            places[dimension] = part.place();
            visit(parts, ranges, places, dimension + 1, isGhost || part.isGhost(), body);
        }
    }
}
