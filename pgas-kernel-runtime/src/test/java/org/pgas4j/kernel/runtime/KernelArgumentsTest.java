package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;

/** Buffers of a launch are looked at before the compiler may expect them at multiples of 16 bytes. */
class KernelArgumentsTest {

    private static final int LENGTH = 64;

    /** Names memory that nobody uses. */
    private record NamedMemory(long address, long bytes) implements DeviceMemory {

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // has nothing
        }
    }

    private static Buffer floats(long address) {
        return Buffer.ofDevice(new NamedMemory(address, LENGTH * Float.BYTES), 0, ElementType.FLOAT, LENGTH);
    }

    private static void assertAligned(boolean expected, Object... captured) {
        assertEquals(expected, KernelArguments.areAligned(captured));
    }

    @Test
    void shouldExpectAlignedBuffersOnlyIfAllAre() {
        assertAligned(true, 3, floats(4096), floats(4096 + 16));
        assertAligned(false, floats(4096), 3, floats(4096 + 8));
        assertAligned(false, floats(4096 + 4), floats(4096));
    }

    @Test
    void shouldCountTheOffsetOfASlice() {
        assertAligned(true, floats(4096).slice(4, 8));
        assertAligned(false, floats(4096).slice(2, 8));
        assertAligned(true, floats(4096 + 8).slice(2, 8));
    }

    @Test
    void shouldExpectNothingWithoutBuffers() {
        assertAligned(false);
        assertAligned(false, 16, 3.5);
    }
}
