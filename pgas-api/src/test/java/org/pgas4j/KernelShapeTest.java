package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.pgas4j.DeviceGrid.Dims;

@Timeout(30)
class KernelShapeTest {

    @Test
    void shouldPlaceThreadsInThreeDimensions() {
        Kernel.Shape shape = new Kernel.Shape(new Dims(5, 3, 2), new Dims(4, 2, 3));
        int block = 0;
        for (int blockZ = 0; blockZ < 2; blockZ++) {
            for (int blockY = 0; blockY < 3; blockY++) {
                for (int blockX = 0; blockX < 5; blockX++, block++) {
                    Kernel.At at = new Kernel.At(block, 23, shape);
                    assertEquals(blockX * 4 + 3, at.x());
                    assertEquals(blockY * 2 + 1, at.y());
                    assertEquals(blockZ * 3 + 2, at.z());
                }
            }
        }
        Kernel.At at = new Kernel.At(block - 1, 6, shape);
        assertEquals("4 2 1", at.blockX() + " " + at.blockY() + " " + at.blockZ());
        assertEquals("2 1 0", at.threadX() + " " + at.threadY() + " " + at.threadZ());
        assertEquals(30, shape.blocks());
        assertEquals(24, shape.threads());
        assertEquals(720, shape.allThreads());
    }

    @Test
    void shouldCoverInEachDimension() {
        assertEquals(new Kernel.Shape(4, 256), Kernel.Shape.covering(1000, 256));
        assertEquals(new Kernel.Shape(1, 256), Kernel.Shape.covering(0, 256));
        assertEquals(new Kernel.Shape(new Dims(4, 3, 1), new Dims(32, 8, 1)),
                Kernel.Shape.covering(100, 24, 1, new Dims(32, 8, 1)));
        Kernel.Shape all = new Kernel.Shape(8, 64).withShared(100_000).withCluster(Dims.of(4));
        assertEquals(new Kernel.Shape(Dims.of(8), Dims.of(64), Dims.of(4), 100_000), all);
    }

    @Test
    void shouldRefuseWhatNoDeviceTakes() {
        assertRefused("threads", () -> new Kernel.Shape(1, 1025));
        assertRefused("x=32, y=33", () -> new Kernel.Shape(Dims.of(1), new Dims(32, 33, 1)));
        assertRefused("z <= 64", () -> new Kernel.Shape(Dims.of(1), new Dims(1, 1, 65)));
        assertRefused("65535", () -> new Kernel.Shape(new Dims(1, 65_536, 1), Dims.of(1)));
        assertRefused("65535", () -> new Kernel.Shape(new Dims(1, 1, 65_536), Dims.of(1)));
        assertRefused("divide", () -> new Kernel.Shape(9, 32).withCluster(Dims.of(2)));
        assertRefused("16 blocks", () -> new Kernel.Shape(32, 32).withCluster(Dims.of(32)));
        assertRefused("x=0", () -> new Kernel.Shape(0, 32));
    }

    private static void assertRefused(String text, Executable shape) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, shape);
        assertTrue(e.getMessage().contains(text), e.getMessage());
    }
}
