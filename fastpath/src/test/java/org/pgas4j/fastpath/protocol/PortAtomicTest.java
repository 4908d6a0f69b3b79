package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;

/** Atomic operations by messages, on words of the peer's host and device memory. */
@Timeout(60)
class PortAtomicTest {

    private static final int ADD = what(AtomicOp.ADD, ElementType.LONG);
    private static final long OFFSET = 24;

    private static int what(AtomicOp op, ElementType type) {
        return op.code() | AtomicWords.code(type) << 8;
    }

    private static Conduit open(boolean mapped) {
        return mapped ? new LoopbackConduit() : new DeferredConduit();
    }

    private static long at(MemoryKind kind) {
        return (kind == MemoryKind.HOST ? TwoPorts.HEAP_START : TwoPorts.DEVICE_START) + OFFSET;
    }

    @ParameterizedTest
    @CsvSource({"true, HOST", "true, DEVICE", "false, HOST", "false, DEVICE"})
    void shouldReturnTheValuesBeforeInOrder(boolean mapped, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped)); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            MemorySegment word = ports.side(1).memory(kind);
            word.set(ValueLayout.JAVA_LONG, at(kind), 100);
            MemorySegment results = arena.allocate(800, 8);
            Operation last = Operation.COMPLETE;
            for (int i = 0; i < 100; i++) {
                last = port.atomic(1, kind, OFFSET, ADD, 3, 0, results.asSlice(i * 8L, 8));
            }
            port.complete(last);
            port.completeAll();

            for (int i = 0; i < 100; i++) {
                assertEquals(100 + 3 * i, results.get(ValueLayout.JAVA_LONG, i * 8L));
            }
            assertEquals(400, word.get(ValueLayout.JAVA_LONG, at(kind)));
        }
    }

    @ParameterizedTest
    @CsvSource({"true, HOST", "true, DEVICE", "false, HOST", "false, DEVICE"})
    void shouldApplyBehindPutsAndBeforeAFence(boolean mapped, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped)); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            MemorySegment seven = arena.allocate(8, 8);
            seven.set(ValueLayout.JAVA_LONG, 0, 7);
            port.complete(port.put(1, kind, OFFSET, seven, null, 0, 8, Long.MAX_VALUE));
            for (int i = 0; i < 3 * TwoPorts.OPTIONS.ring().chunks(); i++) {
                assertTrue(port.atomic(1, kind, OFFSET, ADD, 1, 0, null).isComplete());
            }
            assertTrue(port.hasUnapplied(1));

            port.fence();

            assertFalse(port.hasUnapplied(1));
            assertEquals(7 + 3 * TwoPorts.OPTIONS.ring().chunks(),
                    ports.side(1).memory(kind).get(ValueLayout.JAVA_LONG, at(kind)));
        }
    }

    /** What was there comes with the kernel: no copy follows it, and the owner's kernels that wait for room do not hold it back. */
    @Test
    void shouldTakeOneKernelOnAnUrgentStream() {
        try (TwoPorts ports = new TwoPorts(new LoopbackConduit()); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            MemorySegment result = arena.allocate(8, 8);
            for (int i = 0; i < 40; i++) { // more than are in flight at once
                port.complete(port.atomic(1, MemoryKind.DEVICE, OFFSET, ADD, 1, 0, i % 2 == 0 ? result : null));
            }
            port.fence();

            assertEquals(40, ports.device.launches());
            assertEquals(0, ports.device.copiesOut());
            assertEquals(1, ports.device.urgent());
        }
    }

    /** The parts of atomic operations are known as those of puts and gets are. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldReportTheirTimes(MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(new LoopbackConduit()); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            Operation operation = port.atomic(1, kind, OFFSET, ADD, 1, 0, arena.allocate(8, 8));
            List<Long> seen = new ArrayList<>();
            TwoPorts.Side owner = ports.side(1);
            while (seen.isEmpty()) {
                owner.port.progress(owner.port.ownStreams(), (sentNs, seenNs, startNs, copiedNs, doneNs) -> {
                    seen.add(seenNs);
                    assertTrue(sentNs <= startNs && startNs <= copiedNs && copiedNs <= doneNs);
                }, 17);
            }
            port.complete(operation);
            assertEquals(List.of(17L), seen);
        }
    }

    @ParameterizedTest
    @CsvSource({"HOST, 5, 9", "HOST, 4, 5", "DEVICE, 5, 9", "DEVICE, 4, 5"})
    void shouldSwapOnlyWhatIsExpected(MemoryKind kind, long expected, int after) {
        try (TwoPorts ports = new TwoPorts(new LoopbackConduit()); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            MemorySegment word = ports.side(1).memory(kind);
            word.set(ValueLayout.JAVA_INT, at(kind), 5);
            MemorySegment result = arena.allocate(8, 8);

            port.complete(port.atomic(1, kind, OFFSET, what(AtomicOp.COMPARE_SWAP, ElementType.INT), 9, expected, result));

            assertEquals(5, result.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(after, word.get(ValueLayout.JAVA_INT, at(kind)));
            assertEquals(0x5a5a5a5a, word.get(ValueLayout.JAVA_INT, at(kind) + 4));
        }
    }
}
