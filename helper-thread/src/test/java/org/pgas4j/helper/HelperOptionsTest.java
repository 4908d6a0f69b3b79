package org.pgas4j.helper;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class HelperOptionsTest {

    private static final int[] ALLOWED = {0, 1, 2, 3};

    private static HelperOptions options(List<int[]> places) {
        return new HelperOptions("on", 2, false, 1, "auto", places, false);
    }

    @Test
    void shouldGiveEachThreadTheNextProcessorOfTheList() {
        HelperOptions options = options(HelperOptions.places(" 3, 1,2 ", ALLOWED, 0, 2));

        assertArrayEquals(new int[] {2}, options.place(0));
        assertArrayEquals(new int[] {3}, options.place(1));
        assertArrayEquals(new int[] {1}, options.place(2));
        assertArrayEquals(new int[] {2}, options.place(3));
    }

    @Test
    void shouldKeepOffProcessorsOfBoundRanks() {
        HelperOptions options = options(HelperOptions.places("none", ALLOWED, 2, 5));

        assertArrayEquals(new int[] {2, 3}, options.place(0));
        assertArrayEquals(new int[] {2, 3}, options.place(7));
    }

    @Test
    void shouldBindNowhereIfRanksAreNotBoundOrHaveAllProcessors() {
        for (int taken : new int[] {0, 4, 5}) {
            assertEquals(0, options(HelperOptions.places("none", ALLOWED, taken, 0)).place(0).length);
        }
    }
}
