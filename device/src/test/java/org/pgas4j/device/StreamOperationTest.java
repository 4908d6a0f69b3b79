package org.pgas4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;
import org.pgas4j.device.select.Devices;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StreamOperationTest {

    private static long deadline() {
        return System.nanoTime() + 20_000_000_000L;
    }

    /** A value may be queued again, also by the stream that keeps it for lack of room. */
    @Test
    void shouldBePerformedEachTimeItIsQueued() {
        try (DeviceBackend backend = Devices.host(1, 1)) {
            Accelerator device = backend.open(0);
            MemorySegment words = device.allocatePinned(64).segment();
            MemorySegment seen = device.allocatePinned(64).segment();
            DeviceMemory memory = device.allocate(64, false);
            List<StreamOperation> operations = List.of(new StreamOperation.TakeNonZero(words, 0),
                    new StreamOperation.Fill(memory, 0, 16, (byte) 1), new StreamOperation.CopyIn(memory, 8, words, 8, 8),
                    new StreamOperation.Copy(memory, 16, memory, 8, 8), new StreamOperation.WriteDeviceValue(memory, 24, -2, 4),
                    new StreamOperation.CopyAndWrite(memory, 32, memory, 8, 8, words, 24, 4),
                    new StreamOperation.CopyOut(seen, 0, memory, 0, 40), new StreamOperation.WriteValue(words, 16, 1),
                    new StreamOperation.WaitValue(words, 16, 1));
            try (AcceleratorStream stream = new RunAheadStream(device, device.newStream())) {
                for (int round = 0; round < 200; round++) {
                    operations.forEach(stream::submit);
                }
                assertTrue(stream.ahead() > 0, "no operation was kept");
                for (int round = 0; round < 200; round++) {
                    words.set(ValueLayout.JAVA_LONG, 8, 7);
                    while ((long) ValueLayout.JAVA_LONG.varHandle().getAcquire(words, 0L) != 0) {
                        stream.handOver();
                        Thread.onSpinWait();
                    }
                    ValueLayout.JAVA_LONG.varHandle().setRelease(words, 0L, 1L);
                }
                assertTrue(stream.sync(deadline()));
            }

            assertEquals(0x0101_0101_0101_0101L, seen.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(7, seen.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(7, seen.get(ValueLayout.JAVA_LONG, 16));
            assertEquals(-2, seen.get(ValueLayout.JAVA_INT, 24));
            assertEquals(7, seen.get(ValueLayout.JAVA_LONG, 32));
            assertEquals(4, words.get(ValueLayout.JAVA_LONG, 24));
        }
    }

    @Test
    void shouldKeepTheArgumentsOfALaunchAsTheyWere() {
        Object[] args = {1, 2L};
        StreamOperation.Launch launch = new StreamOperation.Launch(new Kernel("any", "", null), new Kernel.Shape(1, 1), args, false);

        args[0] = 3;

        assertEquals(1, launch.args()[0]);
    }
}
