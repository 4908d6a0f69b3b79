package org.pgas4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.select.Devices;

/** The whole contract again, with the host device's streams behind a queue of the length that drivers have. */
class RunAheadStreamTest extends AcceleratorContractTest {

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
        return new RunAheadStream(device, device.newStream());
    }

    @Test
    void shouldKeepNoMoreInTheDeviceThanItTakes() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            AcceleratorStream inner = device.newStream();
            AcceleratorStream outer = new RunAheadStream(device, inner);
            outer.waitValue(word, 0, 1);
            for (int i = 0; i < 1000; i++) {
                outer.fill(memory, 0, 8, (byte) i);
            }
            assertTrue(inner.ahead() < 300, "operations in the device: " + inner.ahead());
            assertEquals(1001, inner.ahead() - inner.ahead() / 33 + outer.ahead(), 2);
            assertFalse(outer.handOver());
            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
            while (!outer.handOver()) {
                assertTrue(inner.sync(inSeconds(20)));
            }
            assertEquals(0, outer.ahead());
            assertTrue(outer.sync(inSeconds(20)));
            outer.close();
        }
    }

    /** Another thread may hand over what is kept, and one at a time queues work. */
    @Test
    void shouldExpectTheEndOnlyWhereNothingIsKept() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            AtomicInteger expected = new AtomicInteger();
            AcceleratorStream inner = counting(device.newStream(), "expectEnd", expected);
            try (AcceleratorStream outer = new RunAheadStream(device, inner)) {
                outer.waitValue(word, 0, 1);
                for (int i = 0; i < 1000; i++) {
                    outer.fill(memory, 0, 8, (byte) i);
                }
                outer.expectEnd();
                assertFalse(outer.sync(System.nanoTime() + 1_000_000));
                assertFalse(outer.isIdle());
                assertEquals(0, expected.get(), "while " + outer.ahead() + " operations are kept");

                ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
                assertTrue(outer.sync(inSeconds(20)));
                assertEquals(1, expected.get());
            }
        }
    }

    private static AcceleratorStream counting(AcceleratorStream stream, String name, AtomicInteger calls) {
        return (AcceleratorStream) Proxy.newProxyInstance(AcceleratorStream.class.getClassLoader(),
                new Class<?>[] {AcceleratorStream.class}, (_, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        calls.incrementAndGet();
                    }
                    return method.invoke(stream, arguments);
                });
    }

    /** Each stream's next operation is a wait for the other, again and again: neither asks the other for ever. */
    @Test
    void shouldHandOverStreamsThatWaitForEachOtherInTurn() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false);
                AcceleratorStream one = newStream(); AcceleratorStream two = newStream()) {
            MemorySegment word = words.segment().fill((byte) 0);
            one.waitValue(word, 0, 1);
            for (int i = 0; i < 400; i++) {
                two.await(one.record());
                two.fill(memory, 0, 8, (byte) i);
                one.await(two.record());
                one.fill(memory, 0, 8, (byte) (i + 1));
            }
            assertTrue(one.ahead() > 0 && two.ahead() > 0, "kept: " + one.ahead() + " and " + two.ahead());
            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
            assertTrue(one.sync(inSeconds(20)), "the first stream");
            assertTrue(two.sync(inSeconds(20)), "the second stream");
        }
    }

    @Test
    void shouldReportWhatIsLostByAClose() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            AcceleratorStream other = newStream();
            other.waitValue(word, 0, 1);
            for (int i = 0; i < 1000; i++) {
                other.fill(memory, 0, 8, (byte) i);
            }
            DeviceException e = assertThrows(DeviceException.class, other::close);
            assertTrue(e.getMessage().contains("were never handed to the device"), e.getMessage());
            assertEquals(0, other.ahead());
        }
    }

    @Test
    void shouldReportARefusedOperationOnceAndGoOn() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            stream.waitValue(word, 0, 1);
            for (int i = 0; i < 500; i++) {
                stream.fill(memory, 0, 8, (byte) 1);
            }
            stream.launch(new org.pgas4j.Kernel("nothing", "extern \"C\" __global__ void nothing() {}", null),
                    new org.pgas4j.Kernel.Shape(1, 1), new Object[0]);
            stream.fill(memory, 0, 8, (byte) 2);
            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
            DeviceException e = assertThrows(DeviceException.class, this::sync);
            assertTrue(e.getMessage().contains("nothing"), e.getMessage());
            sync();
            MemorySegment seen = arena.allocate(8);
            stream.copyOut(seen, 0, memory, 0, 8);
            sync();
            assertEquals(2, seen.get(ValueLayout.JAVA_BYTE, 7));
        }
    }
}
