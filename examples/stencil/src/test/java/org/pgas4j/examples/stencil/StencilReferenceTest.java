package org.pgas4j.examples.stencil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The CPU's version, which the others are compared with. */
class StencilReferenceTest {

    @Test
    void shouldNotDependOnWhichRowsAreComputed() {
        StencilReference whole = new StencilReference(new Domain(9, 24, 2, 0, 1), 2);

        for (int rank = 0; rank < 6; rank++) {
            StencilReference part = new StencilReference(new Domain(9, 4, 2, rank, 6), 2);
            for (int j = 4 * rank; j < 4 * rank + 4; j++) {
                for (int i = 0; i < 9; i++) {
                    assertEquals(whole.at(i, j, 1), part.at(i, j, 1), "i=" + i + " j=" + j);
                }
            }
        }
    }

    @Test
    void shouldLeaveTheOuterTwoPointsAndChangeOthers() {
        StencilReference stepped = new StencilReference(new Domain(8, 8, 1, 0, 1), 1);

        int changed = 0;
        for (int j = 0; j < 8; j++) {
            for (int i = 0; i < 8; i++) {
                float before = Domain.initial(i, j, 0);
                if (i < 2 || i >= 6 || j < 2 || j >= 6) {
                    assertEquals(before, stepped.at(i, j, 0));
                } else if (before != stepped.at(i, j, 0)) {
                    changed++;
                }
            }
        }
        assertTrue(changed > 8, changed + " of 16 points changed");
    }

    @Test
    void shouldSmooth() {
        assertTrue(roughness(20) < 0.8 * roughness(0), roughness(20) + " after, " + roughness(0) + " before");
    }

    /** Mean square of differences between neighbours inside. */
    private static double roughness(int steps) {
        StencilReference field = new StencilReference(new Domain(40, 40, 1, 0, 1), steps);
        double sum = 0;
        for (int j = 4; j < 36; j++) {
            for (int i = 4; i < 36; i++) {
                sum += Math.pow(field.at(i + 1, j, 0) - field.at(i, j, 0), 2);
            }
        }
        return sum / (32 * 32);
    }
}
