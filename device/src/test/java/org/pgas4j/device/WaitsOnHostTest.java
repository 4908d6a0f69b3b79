package org.pgas4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.select.Devices;

/** The whole contract again, with streams of which the host looks at the words that they wait for. */
class WaitsOnHostTest extends AcceleratorContractTest {

    private static final DeviceBackend BACKEND = Devices.host(1, 1);

    @AfterAll
    static void closeBackend() {
        BACKEND.close();
    }

    @Override
    protected Accelerator device() {
        return BACKEND.open(0);
    }

    @Override
    protected AcceleratorStream newStream() {
        return new RunAheadStream(device, device.newStream(), true);
    }

    @Test
    void shouldLeaveTheDeviceIdleWhileItWaits() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false);
                AcceleratorStream inner = device.newStream()) {
            MemorySegment word = words.segment().fill((byte) 0);
            AcceleratorStream outer = new RunAheadStream(device, inner, true);
            outer.takeNonZero(word, 0);
            outer.fill(memory, 0, 8, (byte) 1);
            outer.waitValue(word, 8, 5);
            outer.fill(memory, 0, 8, (byte) 2);
            assertTrue(inner.isIdle(), "the device has nothing to do");
            assertEquals(4, outer.ahead());
            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 7L);
            assertFalse(outer.handOver());
            assertEquals(0, word.get(ValueLayout.JAVA_LONG, 0), "the word is taken");
            assertEquals(2, outer.ahead());
            assertFalse(outer.isIdle());
            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 8L, 6L);
            assertTrue(outer.sync(inSeconds(20)));
            MemorySegment seen = arena.allocate(8);
            outer.copyOut(seen, 0, memory, 0, 8);
            assertTrue(outer.sync(inSeconds(20)));
            assertEquals(2, seen.get(ValueLayout.JAVA_BYTE, 0));
        }
    }
}
