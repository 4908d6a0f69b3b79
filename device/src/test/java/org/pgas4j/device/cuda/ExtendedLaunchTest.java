package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.Kernel;

@Timeout(30)
class ExtendedLaunchTest {

    @Test
    void shouldDescribeALaunchAsTheDriverReadsIt() {
        Kernel.Shape shape = new Kernel.Shape(new Dims(6, 4, 2), new Dims(8, 4, 2), new Dims(3, 2, 1), 70_000);
        try (ExtendedLaunch launch = new ExtendedLaunch()) {
            MemorySegment config = launch.describe(shape, false, 0x7f01_2345_6789L);
            int[] expected = {6, 4, 2, 8, 4, 2, 70_000, 0, 0x2345_6789, 0x7f01};

            assertEquals(56, ExtendedLaunch.CONFIG_BYTES); // sizeof(CUlaunchConfig)
            assertEquals(72, ExtendedLaunch.ATTRIBUTE_BYTES); // sizeof(CUlaunchAttribute)
            assertArrayEquals(expected, config.asSlice(0, 40).toArray(ValueLayout.JAVA_INT));
            assertEquals(config.address() + 56, config.get(ValueLayout.JAVA_LONG, 40));
            assertArrayEquals(new int[] {1, 0, 4, 0, 3, 2, 1}, config.asSlice(48, 28).toArray(ValueLayout.JAVA_INT));
        }
    }

    @Test
    void shouldDescribeALaunchBeforeTheEndOfTheKernelBefore() {
        try (ExtendedLaunch launch = new ExtendedLaunch()) {
            MemorySegment config = launch.describe(new Kernel.Shape(4, 256), true, 1);
            assertArrayEquals(new int[] {1, 0, 6, 0, 1}, config.asSlice(48, 20).toArray(ValueLayout.JAVA_INT));

            config = launch.describe(new Kernel.Shape(new Dims(6, 4, 2), new Dims(8, 4, 2), new Dims(3, 2, 1), 0), true, 1);
            assertArrayEquals(new int[] {2, 0, 4, 0, 3, 2, 1}, config.asSlice(48, 28).toArray(ValueLayout.JAVA_INT));
            assertArrayEquals(new int[] {6, 0, 1}, config.asSlice(56 + 72, 12).toArray(ValueLayout.JAVA_INT));
        }
    }
}
