package org.pgas4j.examples.stencil;

import org.pgas4j.Kernel;

/**
 * A box of points in a rank's memory, which are numbered from 0 on; {@code place} of the kernels.
 *
 * @param i      first point of a row
 * @param width  points of a row
 * @param row    first row of a level
 * @param height rows of a level
 * @param levels number of levels
 * @param isize  points of a row in memory
 * @param rows   rows of a level in memory
 */
record PointBox(int i, int width, int row, int height, int levels, int isize, int rows) {

    int points() {
        return height <= 0 ? 0 : width * height * levels;
    }

    /** Place of a point in memory, in floats. */
    int place(int point) {
        return (point / width / height * rows + row + point / width % height) * isize + i + point % width;
    }

    /** With {@code before} more points and rows at their starts and {@code after} more at their ends. */
    PointBox grown(int before, int after) {
        return new PointBox(i - before, width + before + after, row - before, height + before + after, levels, isize, rows);
    }

    /** Its part in rows {@code from}..{@code to - 1}. */
    PointBox within(int from, int to) {
        int first = Math.max(row, from);
        return new PointBox(i, width, first, Math.min(row + height, to) - first, levels, isize, rows);
    }

    Kernel.Shape shape(int threads) {
        return Kernel.Shape.covering(points(), threads);
    }
}
