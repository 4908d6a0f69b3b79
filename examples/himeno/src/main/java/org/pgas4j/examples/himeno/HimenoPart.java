package org.pgas4j.examples.himeno;

/**
 * A rank's part of the grid as kernels see it: numbers alone, the same in all iterations.
 *
 * @param tiles       of the blocks
 * @param field       floats of one pressure field or field of coefficients
 * @param planes      that the rank computes
 * @param planesBelow planes of the rank before, 0 if this is the first
 * @param rows        of a plane, with two of boundary
 * @param columns     of a row, with two of boundary
 */
public record HimenoPart(Tiles tiles, long field, int planes, int planesBelow, int rows, int columns) {
}
