package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jcuda.Pointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;

@Timeout(30)
class KernelParametersTest {

    private static final long ADDRESS = 0x7f00_0000_1000L;

    private record FakeMemory(long bytes, long address, boolean isOpen) implements DeviceMemory {

        @Override
        public void close() {
            // There is none.
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment value(Pointer parameters, int index) {
        MemorySegment pointers = MemorySegment.ofAddress(NativeAddress.get(parameters)).reinterpret(1 << 16);
        return MemorySegment.ofAddress(pointers.getAtIndex(ValueLayout.JAVA_LONG, index)).reinterpret(Long.BYTES);
    }

    @Test
    void shouldPointToEachValue() {
        Buffer block = Buffer.ofDevice(new FakeMemory(1024, ADDRESS, true), 256, ElementType.FLOAT, 10);
        try (KernelParameters parameters = new KernelParameters()) {
            Pointer packed = parameters.pack("k", new int[] {8, 4, 8, 4, 8},
                    new Object[] {block, -7, 1L << 40, 1.5f, 2.5});

            assertEquals(ADDRESS + 256, value(packed, 0).get(ValueLayout.JAVA_LONG, 0));
            assertEquals(-7, value(packed, 1).get(ValueLayout.JAVA_INT, 0));
            assertEquals(1L << 40, value(packed, 2).get(ValueLayout.JAVA_LONG, 0));
            assertEquals(1.5f, value(packed, 3).get(ValueLayout.JAVA_FLOAT, 0));
            assertEquals(2.5, value(packed, 4).get(ValueLayout.JAVA_DOUBLE, 0));
        }
    }

    @Test
    @SuppressWarnings("restricted")
    void shouldPointToStructsAndBackToValues() {
        MemorySegment large = MemorySegment.ofArray(new byte[100]).fill((byte) 7);
        MemorySegment small = MemorySegment.ofArray(new byte[] {1, 2, 3});
        try (KernelParameters parameters = new KernelParameters()) {
            Pointer packed = parameters.pack("k", new int[] {3, 1, 100, 2, 1, 2},
                    new Object[] {small, (byte) -1, large, (short) -2, true, 'x'});

            assertEquals(0x030201, value(packed, 0).get(ValueLayout.JAVA_INT, 0) & 0xffffff);
            assertEquals(-1, value(packed, 1).get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(-1, value(packed, 2).reinterpret(100).mismatch(large));
            assertEquals(-2, value(packed, 3).get(ValueLayout.JAVA_SHORT, 0));
            assertEquals(1, value(packed, 4).get(ValueLayout.JAVA_BYTE, 0));
            assertEquals('x', value(packed, 5).get(ValueLayout.JAVA_CHAR, 0));

            packed = parameters.pack(10, 11, 12, 13, 14);
            for (int i = 0; i < 5; i++) {
                assertEquals(10 + i, value(packed, i).get(ValueLayout.JAVA_LONG, 0));
            }
            assertRefused("argument 0 is a struct of 3 bytes", parameters, new int[] {4}, small);
        }
    }

    @Test
    void shouldTakeMoreArgumentsThanItHasRoomForAtFirst() {
        Object[] many = new Object[100];
        Arrays.setAll(many, i -> (long) i * i);
        try (KernelParameters parameters = new KernelParameters()) {
            parameters.pack("k", null, new Object[] {1});
            Pointer packed = parameters.pack("k", null, many);

            for (int i = 0; i < many.length; i++) {
                assertEquals((long) i * i, value(packed, i).get(ValueLayout.JAVA_LONG, 0));
            }
        }
    }

    @Test
    void shouldRefuseWhatDoesNotFitTheKernel() {
        try (KernelParameters parameters = new KernelParameters()) {
            assertRefused("2 arguments given", parameters, new int[] {4}, 1, 2);
            assertRefused("argument 0 is Long of 8 bytes", parameters, new int[] {4}, 1L);
            assertRefused("argument 1 is null", parameters, null, 1, null);
            assertRefused("argument 0 is java.lang.String", parameters, null, "x");
            assertRefused("argument 0 is Buffer[HOST", parameters, null,
                    Buffer.ofHost(MemorySegment.ofArray(new byte[8]), ElementType.INT));
        }
    }

    private static void assertRefused(String text, KernelParameters parameters, int[] expected, Object... args) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> parameters.pack("k", expected, args));
        assertTrue(e.getMessage().contains(text), e.getMessage());
    }
}
