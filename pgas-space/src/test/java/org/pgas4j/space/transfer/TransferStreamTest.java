package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.space.PlainPorts;
import org.pgas4j.space.PlainRanks;

/** The second stream of a rank's transfers: a kernel there is held up until a gate opens. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TransferStreamTest {

    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);

    private final PlainRanks all = new PlainRanks(1);
    private final PlainPorts ports = new PlainPorts(all);
    private final Accelerator device = all.devices().open(0);
    private final TransferStream transfers =
            new TransferStream(0, device, all.waiter(0, PlainRanks.LONG_NS), ports.engine(0));
    private final DeviceMemory memory = device.allocate(16, false);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final Kernel slow = new Kernel("slow", null, (at, args) -> {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        args.segment(0).set(ValueLayout.JAVA_LONG, 0, 7);
    });

    @AfterEach
    void close() {
        gate.countDown();
        transfers.close();
        memory.close();
        ports.close();
        all.close();
    }

    private Handle queueBeside() {
        transfers.second().launch(slow, ONE, new Object[] {Buffer.ofDevice(memory, 0, ElementType.LONG, 1)});
        transfers.transferQueued(transfers.second());
        return transfers.handle();
    }

    @Test
    void shouldRunBesideTheFirstAndCountAsOneWithIt() {
        Handle beside = queueBeside();
        transfers.first().fill(memory, 8, 8, (byte) 1);
        transfers.transferQueued(transfers.created());

        while (!transfers.first().isIdle()) {
            Thread.onSpinWait(); // ends although the other stream is held up
        }
        assertFalse(beside.trySync());
        assertFalse(transfers.isComplete());

        gate.countDown();
        beside.sync();
        assertTrue(transfers.isComplete());
    }

    @Test
    void shouldTakeTheStreamsInTurnWhereBothAreInUse() {
        assertSame(transfers.first(), transfers.other());
        assertSame(transfers.first(), transfers.other());

        queueBeside();
        AcceleratorStream second = transfers.second();
        assertSame(transfers.first(), transfers.other());
        assertSame(second, transfers.other());
        assertSame(transfers.first(), transfers.other());

        gate.countDown();
        transfers.sync();
        assertSame(transfers.first(), transfers.other());
        assertSame(transfers.first(), transfers.other());
    }

    @Test
    void shouldLookLessOftenAtServicesThatHaveLongHadNothingToDo() {
        assertEquals(200_000, transfers.calmSliceNs(0));
        assertEquals(500_000, transfers.calmSliceNs(8_000_000));
        assertEquals(1_000_000, transfers.calmSliceNs(Long.MAX_VALUE));
    }

    @Test
    void shouldBeFollowedByWhatIsQueuedNext() {
        queueBeside();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment seen = arena.allocate(8, 8);
            transfers.stream().copyOut(seen, 0, memory, 0, 8);
            transfers.transferQueued(transfers.created());
            assertFalse(transfers.isComplete());

            gate.countDown();
            transfers.sync();

            assertEquals(7, seen.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void shouldFollowWhatWasQueuedBefore() {
        transfers.stream().launch(slow, ONE, new Object[] {Buffer.ofDevice(memory, 0, ElementType.LONG, 1)});
        transfers.transferQueued(transfers.created());
        transfers.second().copy(memory, 8, memory, 0, 8);
        transfers.transferQueued(transfers.second());
        assertFalse(transfers.completesSoon());

        gate.countDown();
        transfers.sync();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment seen = arena.allocate(8, 8);
            transfers.stream().copyOut(seen, 0, memory, 8, 8);
            transfers.transferQueued(transfers.created());
            transfers.sync();
            assertEquals(7, seen.get(ValueLayout.JAVA_LONG, 0));
        }
    }
}
