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
class ClusterLaunchTest {

    @Test
    void shouldDescribeALaunchAsTheDriverReadsIt() {
        Kernel.Shape shape = new Kernel.Shape(new Dims(6, 4, 2), new Dims(8, 4, 2), new Dims(3, 2, 1), 70_000);
        try (ClusterLaunch launch = new ClusterLaunch()) {
            MemorySegment config = launch.describe(shape, 0x7f01_2345_6789L);
            int[] expected = {6, 4, 2, 8, 4, 2, 70_000, 0, 0x2345_6789, 0x7f01};

            assertEquals(56, ClusterLaunch.CONFIG_BYTES); // sizeof(CUlaunchConfig)
            assertEquals(72, ClusterLaunch.ATTRIBUTE_BYTES); // sizeof(CUlaunchAttribute)
            assertArrayEquals(expected, config.asSlice(0, 40).toArray(ValueLayout.JAVA_INT));
            assertEquals(config.address() + 56, config.get(ValueLayout.JAVA_LONG, 40));
            assertArrayEquals(new int[] {1, 0, 4, 0, 3, 2, 1}, config.asSlice(48, 28).toArray(ValueLayout.JAVA_INT));
        }
    }
}
