package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;

/**
 * Inner indices of a product on a grid of ranks that one column of a's grid and one row of b's grid have, and a rank's parts of
 * both operands for them.
 *
 * @param left    of a: all of the rank's rows, or some
 * @param right   of b: all of its columns
 * @param isFirst whether it is the first one of its rows of c, which begins with what c held
 */
record GridPanel(PanelPart left, PanelPart right, boolean isFirst) {

    static final long MAX_WIDTH = 32_768;
    private static final long MIN_WIDTH = 256;
    /** The first panel, for which the device waits, is so many times narrower, where rows cannot be cut. */
    private static final long FIRST = 8;
    /** On a larger square grid, one rank would be read by too many at once if all of a row began with its elements. */
    private static final int MAX_READ_FROM_ONE = 3;

    /**
     * All panels of this rank. On a small square grid a rank begins with the rows of b that it has itself, and a few of its rows
     * of a. Else it begins with those of its diagonal of the grid: the ranks of a row, and those of a column, begin with different
     * owners, as in Cannon's algorithm and in SRUMMA of M. Krishnan and J. Nieplocha (2004).
     */
    static List<GridPanel> of(MatrixProduct product, long width) {
        MatrixView a = product.a();
        MatrixView b = product.b();
        MatrixView c = MatrixView.of(product.c());
        int member = product.c().team().rank();
        int row = c.coordinate(member, 0);
        int column = c.coordinate(member, 1);
        int columnsOfA = a.axis(1).ranks();
        int rowsOfB = b.axis(0).ranks();
        int begin = columnsOfA == rowsOfB && columnsOfA <= MAX_READ_FROM_ONE ? row : row + column;
        List<GridPanel> panels = new ArrayList<>();
        for (int i = 0; i < columnsOfA; i++) {
            int columnOfA = (begin + i) % columnsOfA;
            for (int j = 0; j < rowsOfB; j++) {
                int rowOfB = (begin + i + j) % rowsOfB;
                for (List<Overlap> pieces : cut(MatrixProduct.inner(product, columnOfA, rowOfB), width)) {
                    Cut cut = new Cut(a, b, a.member(row, columnOfA), b.member(rowOfB, column),
                            Range.of(0, c.lengthOn(member, 0)), Range.of(0, c.lengthOn(member, 1)));
                    panels.addAll(panels.isEmpty() ? cut.first(pieces) : List.of(cut.panel(pieces, false)));
                }
            }
        }
        return panels;
    }

    /** Parts of both operands that two owners have: all panels between them are cut from these. */
    private record Cut(MatrixView a, MatrixView b, int ownerOfA, int ownerOfB, Range rows, Range columns) {

        GridPanel panel(List<Overlap> pieces, boolean isFirst) {
            return new GridPanel(PanelPart.left(a, ownerOfA, rows, pieces), PanelPart.right(b, ownerOfB, columns, pieces), isFirst);
        }

        /** The panel of the first pieces: some rows after the other, or a few of the inner indices and the others. */
        List<GridPanel> first(List<Overlap> pieces) {
            GridPanel whole = panel(pieces, true);
            if (whole.left().isInPlace() && whole.right().isInPlace()) {
                return List.of(whole);
            }
            List<GridPanel> parts = new ArrayList<>();
            for (Range some : GrowingCut.of(rows)) {
                parts.add(new GridPanel(PanelPart.left(a, ownerOfA, some, pieces), whole.right(), true));
            }
            if (whole.right().isInPlace() && parts.stream().allMatch(part -> part.left().isOneRun())) {
                return parts;
            }
            Overlap piece = pieces.getFirst();
            int level = piece.outermost();
            long few = piece.counts()[level] / FIRST;
            if (pieces.size() > 1 || few == 0 || piece.count() / FIRST < MIN_WIDTH) {
                return List.of(whole);
            }
            return List.of(panel(List.of(piece.part(level, 0, few)), true),
                    panel(List.of(piece.part(level, few, piece.counts()[level] - few)), false));
        }
    }

    /** Groups of pieces with at most so many indices together; larger pieces are cut. */
    static List<List<Overlap>> cut(List<Overlap> pieces, long width) {
        List<Overlap> parts = new ArrayList<>();
        pieces.forEach(piece -> piece.cut(width, parts));
        List<List<Overlap>> groups = new ArrayList<>();
        long room = 0;
        for (Overlap part : parts) {
            if (part.count() > room || groups.isEmpty()) {
                groups.add(new ArrayList<>());
                room = width;
            }
            groups.getLast().add(part);
            room -= part.count();
        }
        return groups;
    }

    /** Rows of c, counted among the rank's. */
    Range rows() {
        return left.across();
    }

    /** Inner indices. */
    long width() {
        return left.width();
    }
}
