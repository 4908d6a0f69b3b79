package org.pgas4j.array;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.pgas4j.Team;

/**
 * Range of the inner dimension in a product by {@link MatrixAlgorithm#PULL}: the boxes of both operands that a rank needs for its
 * part of c. The boxes of one operand are all on the device while those of the other follow each other.
 *
 * @param inner    indices
 * @param held     boxes that are there together
 * @param streamed boxes that come one after the other: the rank's own, then those of the next ranks, so that each is read by one
 *                 other at a time
 * @param holdsB   whether the first are b's
 */
record PulledPanel(Range inner, List<Part> held, List<Part> streamed, boolean holdsB) {

    /**
     * A box of an operand.
     *
     * @param at place of its first row or column among those of the rank's part of c
     */
    record Part(MatrixBox box, long at) {
    }

    /** Blocks of fewer indices are not taken one by one. */
    private static final long MIN_BLOCK = 128;

    /**
     * All panels, beginning with the one of which the rank has most; among several, ranks of different rows begin with different
     * ones. The first box is cut if the device has to wait for it.
     */
    static List<PulledPanel> of(MatrixProduct product, long width) {
        List<PulledPanel> panels = new ArrayList<>();
        List<Range> ranges = cut(Range.of(0, product.inner()), width, product.a().axis(1), product.b().axis(0));
        for (Range range : ranges) {
            panels.add(panel(product, range));
        }
        Collections.rotate(panels, -first(panels, product.c()));
        panels.getFirst().cutFirst();
        return panels;
    }

    private static int first(List<PulledPanel> panels, GlobalArray c) {
        Distribution distribution = c.distribution();
        int row = distribution.coordinates(c.team().rank())[0];
        int first = row * panels.size() / distribution.axis(0).ranks();
        for (int i = 1; i < panels.size(); i++) {
            int next = (first + i) % panels.size();
            first = panels.get(next).roomForAll() < panels.get(first).roomForAll() ? next : first;
        }
        return first;
    }

    /** Cuts the box that comes first, of a panel whose other operand is here, so that the device begins with little of it. */
    private void cutFirst() {
        Part part = streamed.getFirst();
        if (roomForHeld() > 0 || part.box().isLocal()) {
            return;
        }
        List<Part> parts = new ArrayList<>();
        Range whole = holdsB ? part.box().rows() : part.box().columns();
        for (Range range : GrowingCut.of(whole)) {
            MatrixBox box = holdsB ? new MatrixBox(part.box().matrix(), range, inner)
                    : new MatrixBox(part.box().matrix(), inner, range);
            if (!box.isOneRun()) {
                return;
            }
            parts.add(new Part(box, part.at() + range.from() - whole.from()));
        }
        streamed.removeFirst();
        streamed.addAll(0, parts);
    }

    private static PulledPanel panel(MatrixProduct product, Range inner) {
        List<Part> left = new ArrayList<>();
        List<Part> right = new ArrayList<>();
        forEachBlock(product.c(), 0, product.a().axis(0),
                (rows, at) -> left.add(new Part(new MatrixBox(product.a(), rows, inner), at)));
        forEachBlock(product.c(), 1, product.b().axis(1),
                (columns, at) -> right.add(new Part(new MatrixBox(product.b(), inner, columns), at)));
        boolean holdsB = room(right) <= room(left);
        List<Part> streamed = holdsB ? left : right;
        Team team = product.c().team();
        streamed.sort(Comparator.comparingInt(part -> Math.floorMod(part.box().owner() - team.rank(), team.ranks())));
        return new PulledPanel(inner, holdsB ? right : left, streamed, holdsB);
    }

    private static long room(List<Part> parts) {
        return parts.stream().mapToLong(part -> part.box().room()).sum();
    }

    /** Elements of the boxes that are held, as far as they are not the rank's. */
    long roomForHeld() {
        return room(held);
    }

    /** The same of the largest of the others. */
    long roomForStreamed() {
        return streamed.stream().mapToLong(part -> part.box().room()).max().orElse(0);
    }

    /** Number of those that are copied. */
    long moved() {
        return streamed.stream().filter(part -> part.box().room() > 0).count();
    }

    private long roomForAll() {
        return roomForHeld() + room(streamed);
    }

    /** Takes a run of this rank's indices of a dimension of c. */
    interface BlockBody {

        /** @param at place of the first of them among all of the rank's */
        void block(Range indices, long at);
    }

    /** Calls {@code body} with this rank's indices of a dimension of c, cut where an operand's axis changes its owner. */
    private static void forEachBlock(GlobalArray c, int dimension, Axis operand, BlockBody body) {
        Axis axis = c.distribution().axis(dimension);
        int coordinate = c.distribution().coordinates(c.team().rank())[dimension];
        long count = axis.lengthOn(coordinate);
        for (long at = 0; at < count; ) {
            long from = axis.index(coordinate, at);
            long length = Math.min(count - at, axis.blockEnd(from) - from);
            for (Range part : cut(Range.of(from, from + length), Long.MAX_VALUE, operand)) {
                body.block(part, at + part.from() - from);
            }
            at += length;
        }
    }

    /** Parts of a range between the ends of blocks of some axes, cut into equal ones where they are wider than {@code width}. */
    static List<Range> cut(Range range, long width, Axis... axes) {
        List<Range> parts = new ArrayList<>();
        for (long from = range.from(); from < range.to(); ) {
            long end = range.to();
            for (Axis axis : axes) {
                if (axis.isOneBlock() || axis.block() >= MIN_BLOCK) {
                    end = Math.min(end, axis.blockEnd(from));
                }
            }
            long pieces = Math.ceilDiv(end - from, width);
            long each = Math.ceilDiv(end - from, pieces);
            for (long at = from; at < end; at += each) {
                parts.add(Range.of(at, Math.min(end, at + each)));
            }
            from = end;
        }
        return parts;
    }
}
