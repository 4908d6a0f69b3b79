package org.pgas4j.bench.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PairedRatioTest {

    private static double[] ones(int count) {
        double[] ones = new double[count];
        Arrays.fill(ones, 1);
        return ones;
    }

    @Test
    void medianOfPairs() {
        assertEquals(new PairedRatio(2, 1, 4), PairedRatio.of(new double[] {4, 1, 6}, new double[] {1, 1, 3}));
        assertEquals(2.5, PairedRatio.of(new double[] {1, 2, 3, 4}, ones(4)).median());
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.of(new double[2], new double[3]));
        assertThrows(IllegalArgumentException.class, () -> PairedRatio.of(new double[0], new double[0]));
    }

    /** Published ranks of intervals for medians: of 6 values the first, of 9 the second, of 31 the tenth. */
    @Test
    void intervalOfAtLeast95Percent() {
        assertEquals(0, PairedRatio.outside(1));
        assertEquals(0, PairedRatio.outside(5));
        assertEquals(0, PairedRatio.outside(6));
        assertEquals(1, PairedRatio.outside(9));
        assertEquals(9, PairedRatio.outside(31));
        double[] values = new double[31];
        for (int i = 0; i < values.length; i++) {
            values[i] = 31 - i;
        }
        assertEquals(new PairedRatio(16, 10, 22), PairedRatio.of(values, ones(31)));
    }
}
