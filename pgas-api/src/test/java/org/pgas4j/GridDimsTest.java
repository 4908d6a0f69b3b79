package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceGrid.Dims;

/** Shapes of grids and of their blocks. */
class GridDimsTest {

    @Test
    void shouldNumberWithTheFirstCoordinateFastest() {
        Dims dims = new Dims(3, 4, 5);
        for (int i = 0; i < dims.count(); i++) {
            int[] at = dims.at(i);
            assertEquals(i, (at[2] * dims.y() + at[1]) * dims.x() + at[0]);
        }
        assertArrayEquals(new int[] {2, 3, 4}, dims.at(59));
    }

    @Test
    void shouldKeepTheShapeInOtherOptions() {
        DeviceGrid.Options options = DeviceGrid.Options.of(new Dims(2, 3, 1), new Dims(8, 8, 1)).proxy().shared(5);

        assertEquals(6, options.perRank());
        assertEquals(64, options.threads());
        assertEquals(new Dims(2, 3, 1), options.grid());
        assertEquals(new Dims(8, 8, 1), options.block());
        assertEquals(5, options.sharedBytes());
    }

    @Test
    void shouldRefuseWhatIsNoShape() {
        assertThrows(IllegalArgumentException.class, () -> new Dims(0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Dims(1 << 16, 1 << 16, 1));
        assertThrows(IllegalArgumentException.class, () -> DeviceGrid.Options.of(new Dims(1, 1, 1), new Dims(5, 1, 1)));
        assertThrows(IllegalArgumentException.class,
                () -> new DeviceGrid.Options(4, 32, null, null, false, 0, new Dims(3, 1, 1), null, 8, null));
        assertThrows(IllegalArgumentException.class, () -> DeviceGrid.Options.of(4, 32).shared(-1));
        assertThrows(IllegalArgumentException.class, () -> new Kernel.Shape(1, 32, -1));
    }
}
