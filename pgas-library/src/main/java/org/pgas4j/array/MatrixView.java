package org.pgas4j.array;

import java.util.Objects;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;

/**
 * A global matrix as it is kept, or transposed: row i and column j are then column i and row j of the array. Nothing is moved or
 * changed by it; products read the array in the other order.
 *
 * @param array      of two dimensions
 * @param transposed whether rows are the array's columns
 */
public record MatrixView(GlobalArray array, boolean transposed) {

    public MatrixView {
        Objects.requireNonNull(array, "array");
        if (array.distribution().dimensions() != 2) {
            throw new IllegalArgumentException("matrix: " + array + " (expected: an array of two dimensions)");
        }
    }

    /** The matrix as it is kept. */
    public static MatrixView of(GlobalArray array) {
        return new MatrixView(array, false);
    }

    /** The same elements with rows and columns exchanged. */
    public MatrixView transpose() {
        return new MatrixView(array, !transposed);
    }

    /** Number of rows. */
    public long rows() {
        return length(0);
    }

    /** Number of columns. */
    public long columns() {
        return length(1);
    }

    ElementType type() {
        return array.type();
    }

    MemoryKind kind() {
        return array.kind();
    }

    /** The array's dimension of rows (0) or columns (1). */
    private int kept(int dimension) {
        return transposed ? 1 - dimension : dimension;
    }

    long length(int dimension) {
        return array.length(kept(dimension));
    }

    Axis axis(int dimension) {
        return array.distribution().axis(kept(dimension));
    }

    /** Coordinate of a member of the team, which is in the grid. */
    int coordinate(int member, int dimension) {
        return array.distribution().coordinates(member)[kept(dimension)];
    }

    /** Number of rows or columns of a member; 0 outside the grid. */
    long lengthOn(int member, int dimension) {
        return array.distribution().lengthOn(member, kept(dimension));
    }

    boolean isInGrid(int member) {
        return member < array.distribution().ranks();
    }

    /** The member at coordinates of rows and columns. */
    int member(int row, int column) {
        return transposed ? array.distribution().rank(column, row) : array.distribution().rank(row, column);
    }

    Section section(Range rows, Range columns) {
        return transposed ? array.section(columns, rows) : array.section(rows, columns);
    }

    @Override
    public String toString() {
        return transposed ? "the transpose of " + array : array.toString();
    }
}
