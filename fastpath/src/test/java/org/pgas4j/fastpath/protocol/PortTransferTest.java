package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;

/** Bytes that go between two ranks by messages: those that were meant to, and no others. */
@Timeout(60)
class PortTransferTest {

    private static final int CHUNK = TwoPorts.OPTIONS.ring().capacity();
    private static final int PIECE = 4096;
    /** Of the range at the target, from the start of its heap: not aligned. */
    private static final int OFFSET = 3;

    /** Place of the rank's own bytes. */
    private enum Own { HOST, SEGMENT, DEVICE }

    /** One of a rank's own buffers: its memory, and the start of the bytes in it. */
    private record Buffer(MemorySegment bytes, MemorySegment host, DeviceMemory device, long start) {
    }

    private static Conduit open(boolean mapped) {
        return mapped ? new LoopbackConduit() : new DeferredConduit();
    }

    private static Stream<Arguments> ends() {
        List<Arguments> all = new ArrayList<>();
        for (boolean mapped : new boolean[] {true, false}) {
            for (Own own : Own.values()) {
                for (MemoryKind kind : MemoryKind.values()) {
                    all.add(Arguments.of(mapped, own, kind));
                }
            }
        }
        return all.stream();
    }

    private static Buffer buffer(TwoPorts.Side side, Own own, Arena arena) {
        return switch (own) {
            case HOST -> {
                MemorySegment memory = arena.allocate(TwoPorts.HEAP_BYTES);
                yield new Buffer(memory, memory, null, 5);
            }
            case SEGMENT -> new Buffer(side.segment.memory(), side.segment.memory(), null, TwoPorts.HEAP_START + 5);
            case DEVICE -> new Buffer(side.memory(MemoryKind.DEVICE), null, side.memory, TwoPorts.DEVICE_START + 5);
        };
    }

    private static int start(MemoryKind kind) {
        return (kind == MemoryKind.HOST ? TwoPorts.HEAP_START : TwoPorts.DEVICE_START) + OFFSET;
    }

    private static byte pattern(long i, int seed) {
        return (byte) (i * 31 + seed);
    }

    private static void assertBytes(MemorySegment memory, long start, int bytes, int seed, String what) {
        byte[] expected = new byte[(int) memory.byteSize()];
        Arrays.fill(expected, TwoPorts.UNTOUCHED);
        for (int i = 0; i < bytes; i++) {
            expected[(int) start + i] = pattern(i, seed);
        }
        assertEquals(-1, memory.mismatch(MemorySegment.ofArray(expected)), what + ", " + bytes + " bytes at " + start);
    }

    private static void putAndGet(TwoPorts ports, Own own, MemoryKind kind, int bytes, long putThreshold,
                                  long getThreshold) {
        try (Arena arena = Arena.ofConfined()) {
            TwoPorts.Side side = ports.side(0);
            Buffer mine = buffer(side, own, arena);
            MemorySegment theirs = ports.side(1).memory(kind).fill(TwoPorts.UNTOUCHED);
            mine.bytes().fill(TwoPorts.UNTOUCHED);
            for (int i = 0; i < bytes; i++) {
                mine.bytes().set(ValueLayout.JAVA_BYTE, mine.start() + i, pattern(i, bytes));
            }

            Operation put = side.port.put(1, kind, OFFSET, mine.host(), mine.device(), mine.start(), bytes,
                    putThreshold);
            side.port.complete(put);
            mine.bytes().fill(TwoPorts.UNTOUCHED);
            side.port.fence();

            assertBytes(theirs, start(kind), bytes, bytes, "put from " + own);
            assertBytes(mine.bytes(), 0, 0, 0, "source of the put");

            Operation get = side.port.get(1, kind, OFFSET, mine.host(), mine.device(), mine.start(), bytes,
                    getThreshold);
            side.port.complete(get);
            side.port.completeAll();
            theirs.fill(TwoPorts.UNTOUCHED);

            assertTrue(get.isComplete());
            assertBytes(mine.bytes(), mine.start(), bytes, bytes, "get to " + own);
            ports.settle();
            assertTrue(side.port.isAllComplete() && side.port.isIdle() && ports.side(1).port.isIdle());
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldPutAndGetByFastpath(boolean mapped, Own own, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped))) {
            for (int bytes : new int[] {0, 1, 7, 8, 9, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7}) {
                putAndGet(ports, own, kind, bytes, Long.MAX_VALUE, Long.MAX_VALUE);
            }
            assertEquals(0, ports.side(0).port.temporaries());
            putAndGet(ports, own, kind, 50 * CHUNK + 7, 0, Long.MAX_VALUE); // parts: more than may be in progress
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldPutAndGetByRendezvous(boolean mapped, Own own, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped))) {
            for (int bytes : new int[] {0, 1, 8, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 9 * PIECE + 13}) {
                putAndGet(ports, own, kind, bytes, 0, 0);
            }
            // In its own segment the rank's end is registered already.
            long temporaries = ports.side(0).port.temporaries();
            assertEquals(own == Own.SEGMENT ? 0 : 14, temporaries);
            assertEquals(Math.max(0, temporaries - 1), ports.side(0).port.cacheHits());
        }
    }

    /** As a stream does it: the bytes are copied before the port knows of the put. */
    @ParameterizedTest
    @CsvSource({"true, HOST", "true, DEVICE", "false, HOST", "false, DEVICE"})
    void shouldPutWhatAStreamHasStaged(boolean mapped, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped))) {
            Port port = ports.side(0).port;
            MemorySegment theirs = ports.side(1).memory(kind);
            int[] lengths = {1, 8, CHUNK, CHUNK + 1, PIECE - 1, PIECE};
            for (int bytes : lengths) {
                for (long threshold : new long[] {Long.MAX_VALUE, 0}) {
                    theirs.fill(TwoPorts.UNTOUCHED);
                    Temporary staged = port.stage(bytes);
                    for (int i = 0; i < bytes; i++) {
                        staged.memory().set(ValueLayout.JAVA_BYTE, i, pattern(i, bytes));
                    }

                    port.putStaged(1, kind, OFFSET, staged, bytes, threshold);
                    port.fence();

                    assertBytes(theirs, start(kind), bytes, bytes, "staged put, threshold " + threshold);
                }
            }
            ports.settle();
            assertEquals((port.temporaries() - port.cacheHits()) * (64 << 10), port.cacheBytes(), "each is given back");
            assertTrue(port.cacheHits() >= 2L * lengths.length - 2, "each is used again");
            assertNull(port.stage(PIECE + 1), "more than a piece");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStageNothingWhereTemporariesAreNotKept(boolean mapped) {
        PortOptions small = new PortOptions(TwoPorts.OPTIONS.ring(), PIECE, 2, 0, 0);
        try (TwoPorts ports = new TwoPorts(open(mapped), small)) {
            assertNull(ports.side(0).port.stage(8));
        }
    }

    /** A device shows the end of several copies by one operation more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExpectTheEndOfCopiesOnce(boolean mapped) {
        try (TwoPorts ports = new TwoPorts(open(mapped)); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            MemorySegment bytes = arena.allocate(CHUNK);
            boolean near = false;
            while (!near) { // where the machine stood still in between, copies count as those after a pause
                long beginNs = System.nanoTime();
                port.put(1, MemoryKind.DEVICE, OFFSET, bytes, null, 0, 8, Long.MAX_VALUE); // makes the pair
                ports.settle();
                int before = ports.device.expectedEnds();
                for (int i = 0; i < 5; i++) {
                    port.put(1, MemoryKind.DEVICE, OFFSET, bytes, null, 0, CHUNK, Long.MAX_VALUE);
                }
                ports.settle();
                near = System.nanoTime() - beginNs < InFlightCopies.NEAR_NS;
                assertTrue(!near || ports.device.expectedEnds() == before + 1, () -> before + ", " + ports.device.expectedEnds());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldForgetTemporariesThatDoNotFitTheCache(boolean mapped) {
        PortOptions small = new PortOptions(TwoPorts.OPTIONS.ring(), PIECE, 2, 0, 0);
        try (TwoPorts ports = new TwoPorts(open(mapped), small)) {
            for (int i = 1; i <= 20; i++) {
                putAndGet(ports, Own.HOST, MemoryKind.HOST, 3 * PIECE + i, 0, 0);
            }
            assertEquals(0, ports.side(0).port.cacheHits());
            assertEquals(0, ports.side(0).port.cacheBytes());
            // Left are the ring that each rank receives into, and the chunks that it sends from.
            assertEquals(4, ports.device.registrations());
        }
    }

    private static TwoPorts holding(boolean mapped, long bytes) {
        return new TwoPorts(open(mapped), new PortOptions(TwoPorts.OPTIONS.ring(), PIECE, 2, 0, bytes));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldPutByRendezvousThatIsHeldWhole(boolean mapped, Own own, MemoryKind kind) {
        try (TwoPorts ports = holding(mapped, 1 << 20)) {
            for (int bytes : new int[] {1, PIECE, 2 * PIECE, 3 * PIECE, 9 * PIECE + 13}) {
                putAndGet(ports, own, kind, bytes, 0, 0);
            }
            Port port = ports.side(0).port;
            assertEquals(own == Own.SEGMENT ? 5 : 2, port.bufferedPuts());
            assertEquals(0, port.bufferedBytes());
            assertEquals(0, port.cacheBytes());
        }
    }

    /** The owner does nothing: a put is complete as soon as it is copied, and the bound leaves no room for a third. */
    @ParameterizedTest
    @MethodSource("ends")
    void shouldReturnBeforeTheOwnerServesUpToABound(boolean mapped, Own own, MemoryKind kind) {
        int bytes = 9 * PIECE;
        try (TwoPorts ports = holding(mapped, 2 << 16); Arena arena = Arena.ofConfined()) {
            TwoPorts.Side side = ports.side(0);
            Buffer mine = buffer(side, own, arena);
            MemorySegment theirs = ports.side(1).memory(kind);
            mine.bytes().asSlice(mine.start(), bytes).fill((byte) 1);
            side.port.put(1, kind, 0, mine.host(), mine.device(), mine.start(), 8, Long.MAX_VALUE); // makes the pair
            side.port.fence();
            ports.side(1).stopped = true;

            for (byte value = 2; value <= 3; value++) {
                side.port.complete(side.port.put(1, kind, 0, mine.host(), mine.device(), mine.start(), bytes, 0));
                mine.bytes().asSlice(mine.start(), bytes).fill(value);
            }
            assertEquals(2 << 16, side.port.bufferedBytes());
            Operation third = side.port.put(1, kind, 0, mine.host(), mine.device(), mine.start(), bytes, 0);
            assertThrows(PgasTimeoutException.class, () -> side.port.complete(third));
            assertEquals(1, theirs.get(ValueLayout.JAVA_BYTE, start(kind) - OFFSET));
            assertEquals(TwoPorts.UNTOUCHED, theirs.get(ValueLayout.JAVA_BYTE, start(kind) - OFFSET + 8));

            ports.side(1).stopped = false;
            side.port.complete(third);
            side.port.fence();
            assertEquals(-1, theirs.asSlice(start(kind) - OFFSET, bytes).mismatch(mine.bytes().asSlice(mine.start(), bytes)));
            ports.settle();
            assertEquals(2, side.port.bufferedPuts());
            assertEquals(0, side.port.bufferedBytes());
            assertTrue(side.port.isIdle());
        }
    }

    /** Bytes of the own segment that stay as they are: they are read in place, when the owner comes to it. */
    @ParameterizedTest
    @CsvSource({"true, HOST", "true, DEVICE", "false, HOST", "false, DEVICE"})
    void shouldNotCopyASourceAsideThatIsLeftAlone(boolean mapped, MemoryKind kind) {
        int bytes = 9 * PIECE;
        try (TwoPorts ports = holding(mapped, 2 << 16)) {
            TwoPorts.Side side = ports.side(0);
            MemorySegment mine = side.segment.memory();
            MemorySegment theirs = ports.side(1).memory(kind);
            mine.asSlice(0, bytes).fill((byte) 1);
            side.port.put(1, kind, 0, mine, null, 0, 8, Long.MAX_VALUE); // makes the pair
            side.port.fence();
            ports.side(1).stopped = true;
            mine.asSlice(0, bytes).fill((byte) 2);

            Operation put = side.port.put(1, kind, 0, mine, null, 0, bytes, 0, false);
            assertFalse(put.isComplete());
            assertEquals(0, side.port.bufferedPuts());
            ports.side(1).stopped = false;
            side.port.complete(put);
            side.port.fence();
            assertEquals(2, theirs.get(ValueLayout.JAVA_BYTE, start(kind) - OFFSET));
            assertEquals(2, theirs.get(ValueLayout.JAVA_BYTE, start(kind) - OFFSET + bytes - 1));
        }
    }

    @ParameterizedTest
    @CsvSource({"true, HOST", "true, DEVICE", "false, HOST", "false, DEVICE"})
    void shouldSet(boolean mapped, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped))) {
            for (int bytes : new int[] {0, 1, 7, 8, 9, CHUNK, 10_000}) {
                MemorySegment theirs = ports.side(1).memory(kind).fill(TwoPorts.UNTOUCHED);

                ports.side(0).port.set(1, kind, OFFSET, bytes, (byte) 0xa5);
                ports.side(0).port.fence();

                byte[] expected = new byte[(int) theirs.byteSize()];
                Arrays.fill(expected, TwoPorts.UNTOUCHED);
                Arrays.fill(expected, start(kind), start(kind) + bytes, (byte) 0xa5);
                assertEquals(-1, theirs.mismatch(MemorySegment.ofArray(expected)), bytes + " bytes");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldApplyWhatFollowsARendezvousAfterIt(boolean mapped, Own own, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped)); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            Buffer mine = buffer(ports.side(0), own, arena);
            MemorySegment word = arena.allocate(8).fill((byte) 7);
            int bytes = 6 * PIECE;

            mine.bytes().fill((byte) 1);
            Operation put = port.put(1, kind, 0, mine.host(), mine.device(), mine.start(), bytes, 0);
            port.put(1, kind, bytes - 8, word, null, 0, 8, Long.MAX_VALUE);
            port.set(1, kind, 0, 8, (byte) 9);
            port.fence();

            assertTrue(put.isComplete());
            MemorySegment theirs = ports.side(1).memory(kind);
            long start = start(kind) - OFFSET;
            assertEquals(9, theirs.get(ValueLayout.JAVA_BYTE, start + 7));
            assertEquals(1, theirs.get(ValueLayout.JAVA_BYTE, start + 8));
            assertEquals(1, theirs.get(ValueLayout.JAVA_BYTE, start + bytes - 9));
            assertEquals(7, theirs.get(ValueLayout.JAVA_BYTE, start + bytes - 8));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFenceOnlyWhatIsNotApplied(boolean mapped) {
        try (TwoPorts ports = new TwoPorts(open(mapped)); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            assertFalse(port.hasUnapplied(1));

            port.put(1, MemoryKind.HOST, 0, arena.allocate(8), null, 0, 8, Long.MAX_VALUE);
            assertTrue(port.hasUnapplied(1));
            port.fence();
            assertFalse(port.hasUnapplied(1));

            ports.side(1).stopped = true; // a fence that sent something would wait for it
            port.fence();
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldFlushOneTargetOnly(boolean mapped, Own own, MemoryKind kind) {
        try (TwoPorts ports = new TwoPorts(open(mapped)); Arena arena = Arena.ofConfined()) {
            Port port = ports.side(0).port;
            Buffer mine = buffer(ports.side(0), own, arena);
            mine.bytes().fill((byte) 1);
            Operation put = port.put(1, kind, 0, mine.host(), mine.device(), mine.start(), 6 * PIECE, 0);
            port.set(1, kind, 0, 8, (byte) 9);
            port.flush(1);

            assertTrue(put.isComplete());
            assertFalse(port.hasUnapplied(1));
            MemorySegment theirs = ports.side(1).memory(kind);
            long start = start(kind) - OFFSET;
            assertEquals(9, theirs.get(ValueLayout.JAVA_BYTE, start + 7));
            assertEquals(1, theirs.get(ValueLayout.JAVA_BYTE, start + 6 * PIECE - 1));

            ports.side(1).stopped = true; // a flush that waited for it would not return
            port.set(1, kind, 0, 8, (byte) 10);
            port.flush(0);
            assertTrue(port.hasUnapplied(1));
        }
    }
}
