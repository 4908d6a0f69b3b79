package org.pgas4j.examples.halo;

/**
 * The seven-point stencil of a box of n x n rows of n floats. Ranks are beside each other along the rows, so a
 * face, the first or the last float of every row, is not contiguous and must be packed. Across the other sides all is 0. No
 * multiplication is fused with an addition: every version computes the same bits.
 */
final class SevenPoint {

    static final float CENTRE = 0.4f;
    static final float BESIDE = 0.1f;

    private SevenPoint() {
    }

    /** The new value of a point from its own and the six beside it. */
    static float value(float own, float left, float right, float above, float below, float before, float behind) {
        return CENTRE * own + BESIDE * (((left + right) + (above + below)) + (before + behind));
    }
}
