package org.pgas4j.examples.stencil;

/**
 * A rank's part of the field: levels of rows of points, as floats in this order, with {@link #HALO} rows of the neighbours (or
 * unused ones) before and after a level's own. Rows of all ranks follow each other. The outer two points and rows of the whole
 * field never change.
 *
 * @param isize  points in a row
 * @param jsize  rows of each rank
 * @param levels of the field
 * @param rank   owner of the part
 * @param ranks  number of ranks
 */
record Domain(int isize, int jsize, int levels, int rank, int ranks) {

    /** Reach of the stencil in any direction. */
    static final int HALO = 2;

    /** Rows of a level in memory. */
    int rows() {
        return jsize + 2 * HALO;
    }

    /** Floats in memory. */
    long length() {
        return (long) levels * rows() * isize;
    }

    /** Start of a row, in floats; row {@link #HALO} is the first own one. */
    long start(int level, int row) {
        return ((long) level * rows() + row) * isize;
    }

    /** All own points that change. */
    PointBox inner() {
        int from = rank == 0 ? 2 * HALO : HALO;
        int to = rank == ranks - 1 ? jsize : jsize + HALO;
        return new PointBox(HALO, isize - 2 * HALO, from, to - from, levels, isize, rows());
    }

    /** {@link #HALO} whole rows of every level from {@code row} on. */
    PointBox border(int row) {
        return new PointBox(0, isize, row, HALO, levels, isize, rows());
    }

    /** Value at the start; {@code j} counts the rows of all ranks. */
    static float initial(int i, int j, int level) {
        int mixed = (i * 31 + j) * 0x9E3779B1 + level * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 15) * 0x2C1B3C6D;
        return (mixed >>> 8) * 0x1p-24f;
    }
}
