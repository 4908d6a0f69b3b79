package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Inner indices of a product on a grid of ranks that one column of a's grid and one row of b's grid have, and a rank's parts of
 * both operands for them.
 *
 * @param left  of a
 * @param right of b
 */
record GridPanel(PanelPart left, PanelPart right) {

    static final long MAX_WIDTH = 32_768;
    private static final long MIN_WIDTH = 256;
    /** The first panel, for which the device waits, is so many times narrower. */
    private static final long FIRST = 8;

    /**
     * All panels of this rank, beginning with those of its diagonal of the grid: the ranks of a row, and those of a column, begin
     * with different owners, as in Cannon's algorithm and in SRUMMA of M. Krishnan and J. Nieplocha (2004).
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
        List<GridPanel> panels = new ArrayList<>();
        for (int i = 0; i < columnsOfA; i++) {
            int columnOfA = (row + column + i) % columnsOfA;
            for (int j = 0; j < rowsOfB; j++) {
                int rowOfB = (row + column + i + j) % rowsOfB;
                for (List<Overlap> pieces : cut(MatrixProduct.inner(product, columnOfA, rowOfB), width)) {
                    Function<List<Overlap>, GridPanel> panel = some -> new GridPanel(
                            PanelPart.left(a, a.member(row, columnOfA), c.lengthOn(member, 0), some),
                            PanelPart.right(b, b.member(rowOfB, column), c.lengthOn(member, 1), some));
                    boolean awaited = panels.isEmpty() && !panel.apply(pieces).isInPlace();
                    (awaited ? first(pieces) : List.of(pieces)).forEach(some -> panels.add(panel.apply(some)));
                }
            }
        }
        return panels;
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

    /** The pieces, or a few of their indices and the others. */
    private static List<List<Overlap>> first(List<Overlap> pieces) {
        Overlap piece = pieces.getFirst();
        int level = piece.outermost();
        long few = piece.counts()[level] / FIRST;
        if (pieces.size() > 1 || few == 0 || piece.count() / FIRST < MIN_WIDTH) {
            return List.of(pieces);
        }
        return List.of(List.of(piece.part(level, 0, few)), List.of(piece.part(level, few, piece.counts()[level] - few)));
    }

    private boolean isInPlace() {
        return left.isInPlace() && right.isInPlace();
    }

    /** Inner indices. */
    long width() {
        return left.width();
    }
}
