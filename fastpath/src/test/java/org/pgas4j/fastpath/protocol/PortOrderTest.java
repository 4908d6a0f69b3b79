package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.ring.RingLayout;

/** Order of messages, credits and copies in flight. */
@Timeout(60)
class PortOrderTest {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private static TwoPorts open(boolean mapped) {
        return new TwoPorts(mapped ? new LoopbackConduit() : new DeferredConduit());
    }

    private static long word(TwoPorts.Side side, MemoryKind kind, long offset) {
        int start = kind == MemoryKind.HOST ? TwoPorts.HEAP_START : TwoPorts.DEVICE_START;
        return side.memory(kind).get(LONG, start + offset);
    }

    private static void put(TwoPorts.Side side, MemoryKind kind, long offset, long value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(LONG, value);
            side.port.complete(side.port.put(1 - side.rank, kind, offset, source, null, 0, 8, Long.MAX_VALUE));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepOrderThroughThousandsOfMessagesBothWays(boolean mapped) {
        try (TwoPorts ports = open(mapped)) {
            int[] received = new int[2];
            for (int rank = 0; rank < 2; rank++) {
                TwoPorts.Side side = ports.side(rank);
                side.port.notifications((block, tag, kind, value) -> {
                    assertEquals(received[side.rank]++, value);
                    assertEquals(value, word(side, MemoryKind.HOST, 0), "put before the notification");
                    assertEquals(value, word(side, MemoryKind.DEVICE, 8), "put before the notification");
                    return true;
                });
            }
            int count = 3000;
            for (int i = 0; i < count; i++) {
                for (int rank = 0; rank < 2; rank++) {
                    put(ports.side(rank), MemoryKind.HOST, 0, i);
                    put(ports.side(rank), MemoryKind.DEVICE, 8, i);
                    ports.side(rank).port.signal(1 - rank, NotificationSink.RANK, 0, NotificationSink.COUNTER, i);
                }
                ports.settle(); // else each put would wait in vain for a chunk before it goes by rendezvous
            }
            assertEquals(count, received[0]);
            assertEquals(count, received[1]);
        }
    }

    @Test
    void shouldPassNotificationsAsTheyWereSentAndRetryThoseRefused() {
        try (TwoPorts ports = open(true)) {
            List<String> seen = new ArrayList<>();
            boolean[] ready = {false};
            ports.side(1).port.notifications((block, tag, kind, value) -> {
                seen.add(block + " " + tag + " " + kind + " " + value);
                return ready[0];
            });

            ports.side(0).port.signal(1, NotificationSink.RANK, 255, NotificationSink.VALUE, Long.MIN_VALUE);
            ports.side(0).port.signal(1, Integer.MAX_VALUE - 1, 0, NotificationSink.COUNTER, -1);
            put(ports.side(0), MemoryKind.HOST, 0, 1);
            ports.side(1).progress();
            ports.side(1).progress();

            String first = "-1 255 1 " + Long.MIN_VALUE;
            assertEquals(List.of(first, first), seen);
            assertTrue(ports.side(1).port.hasMessage());
            ready[0] = true;
            ports.side(1).progress();
            assertEquals(List.of(first, first, first, Integer.MAX_VALUE - 1 + " 0 0 -1"), seen);
            assertEquals(1, word(ports.side(1), MemoryKind.HOST, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSendNoMoreThanThePeerHasChunksFor(boolean mapped) {
        try (TwoPorts ports = open(mapped)) {
            TwoPorts.Side side = ports.side(0);
            List<Long> received = new ArrayList<>();
            ports.side(1).port.notifications((_, _, _, value) -> received.add(value));
            side.port.connect(1);
            ports.side(1).stopped = true;

            long sent = 0;
            while (side.port.trySignal(1, NotificationSink.RANK, 0, NotificationSink.COUNTER, sent)) {
                sent++;
            }
            assertEquals(TwoPorts.FREE, sent);
            String message = assertThrows(PgasTimeoutException.class,
                    () -> side.port.signal(1, NotificationSink.RANK, 0, NotificationSink.COUNTER, -1)).getMessage();
            assertTrue(message.contains("none of 16 chunks is free of rank 0, waiting for rank 1"), message);
            assertNull(side.port.tryPut(1, MemoryKind.HOST, 0, side.segment.memory(), null, 0, 8, Long.MAX_VALUE));
            assertEquals(List.of(), received);

            ports.side(1).stopped = false;
            ports.settle();
            for (; sent < 100; sent++) {
                side.port.signal(1, NotificationSink.RANK, 0, NotificationSink.COUNTER, sent);
            }
            ports.settle();
            assertEquals(LongStream.range(0, 100).boxed().toList(), received);
            assertNotNull(side.port.tryPut(1, MemoryKind.HOST, 0, side.segment.memory(), null, 0, 8, Long.MAX_VALUE));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPutByRendezvousWhenNoChunkBecomesFree(boolean mapped) {
        try (TwoPorts ports = open(mapped); Arena arena = Arena.ofConfined()) {
            TwoPorts.Side side = ports.side(0);
            ports.side(1).stopped = true;
            int chunk = TwoPorts.OPTIONS.ring().capacity();
            int bytes = (TwoPorts.FREE + 3) * chunk;
            MemorySegment source = arena.allocate(bytes);
            for (int i = 0; i < bytes; i++) {
                source.set(ValueLayout.JAVA_BYTE, i, (byte) (i / chunk + 1));
            }

            Operation put = side.port.put(1, MemoryKind.HOST, 0, source, null, 0, bytes, Long.MAX_VALUE);

            assertEquals(1, side.port.temporaries());
            assertThrows(PgasTimeoutException.class, side.port::fence);
            assertEquals(TwoPorts.UNTOUCHED, (byte) word(ports.side(1), MemoryKind.HOST, 0));
            ports.side(1).stopped = false;
            side.port.complete(put);
            side.port.fence();
            assertEquals(-1, ports.side(1).segment.memory().asSlice(TwoPorts.HEAP_START, bytes).mismatch(source));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAnswerGetsOfBothRanksWhenBothHaveAsManyAsTheyMay(boolean mapped) {
        try (TwoPorts ports = open(mapped); Arena arena = Arena.ofConfined()) {
            List<Operation> gets = new ArrayList<>();
            MemorySegment[] to = {arena.allocate(1 << 14), arena.allocate(1 << 14)};
            put(ports.side(0), MemoryKind.HOST, 0, 10);
            put(ports.side(1), MemoryKind.HOST, 0, 11);
            for (int i = 0; i < 600; i++) {
                for (int rank = 0; rank < 2; rank++) {
                    gets.add(ports.side(rank).port.get(1 - rank, MemoryKind.HOST, 0, to[rank], null, i * 8, 8,
                            Long.MAX_VALUE).kept());
                }
            }
            ports.side(0).port.completeAll();
            ports.side(1).port.completeAll();

            assertTrue(gets.stream().allMatch(Operation::isComplete));
            for (int i = 0; i < 600; i++) {
                assertEquals(10, to[0].get(LONG, i * 8), "get " + i); // rank 0 reads what it put there before
                assertEquals(11, to[1].get(LONG, i * 8), "get " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldApplyHostBytesAfterDeviceCopiesBeforeThem(boolean mapped) {
        try (TwoPorts ports = open(mapped)) {
            TwoPorts.Side target = ports.side(1);
            ports.device.hold();
            ports.giveUpSoon(true);
            put(ports.side(0), MemoryKind.DEVICE, 0, 1);
            put(ports.side(0), MemoryKind.HOST, 0, 2);
            ports.side(0).progress();
            target.progress();

            assertTrue(target.port.hasInFlight());
            assertFalse(target.port.isIdle());
            assertTrue(target.port.hasMessage(), "the put to host memory waits");
            assertTrue(word(target, MemoryKind.HOST, 0) != 2);
            assertThrows(PgasTimeoutException.class, ports.side(0).port::fence);
            assertTrue(ports.side(0).port.hasUnapplied(1));

            ports.giveUpSoon(false);
            ports.device.release();
            ports.side(0).port.fence();
            assertEquals(1, word(target, MemoryKind.DEVICE, 0));
            assertEquals(2, word(target, MemoryKind.HOST, 0));
            assertFalse(target.port.hasInFlight());
        }
    }

    @Test
    void shouldAnswerFromTheDeviceOnceTheCopyIsComplete() {
        try (TwoPorts ports = open(true); Arena arena = Arena.ofConfined()) {
            put(ports.side(0), MemoryKind.DEVICE, 0, 77);
            ports.settle();
            MemorySegment to = arena.allocate(8);
            ports.device.hold();
            Operation get = ports.side(0).port.get(1, MemoryKind.DEVICE, 0, to, null, 0, 8, Long.MAX_VALUE);
            ports.settle();

            assertFalse(get.isComplete());
            assertTrue(get.describe().contains("8 bytes missing"), get.describe());
            ports.device.release();
            ports.side(0).port.complete(get);
            assertEquals(77, to.get(LONG, 0));
        }
    }

    @Test
    void shouldHaveOnlySoManyCopiesInFlight() {
        PortOptions wide = new PortOptions(new RingLayout(256, 128), 4096, 2, 1 << 20, 0);
        try (TwoPorts ports = new TwoPorts(new LoopbackConduit(), wide)) {
            ports.device.hold();
            for (int i = 0; i < 50; i++) {
                put(ports.side(0), MemoryKind.DEVICE, i * 8L, i);
            }
            ports.side(1).progress();
            assertTrue(ports.side(1).port.hasMessage(), "32 are in flight, others wait");
            assertEquals(31, word(ports.side(1), MemoryKind.DEVICE, 31 * 8));
            assertTrue(word(ports.side(1), MemoryKind.DEVICE, 32 * 8) != 32);

            ports.device.release();
            ports.settle();
            assertFalse(ports.side(1).port.hasMessage());
            assertEquals(49, word(ports.side(1), MemoryKind.DEVICE, 49 * 8));
        }
    }

    @Test
    void shouldTakeNoMessageWhileItOnlyCompletesCopies() {
        try (TwoPorts ports = open(true)) {
            ports.device.hold();
            put(ports.side(0), MemoryKind.DEVICE, 0, 1);
            ports.side(1).progress();
            put(ports.side(0), MemoryKind.DEVICE, 0, 2);
            ports.device.release();

            assertTrue(ports.side(1).port.completeCopies(null));
            assertFalse(ports.side(1).port.hasInFlight());
            assertFalse(ports.side(1).port.completeCopies(null));
            assertEquals(1, word(ports.side(1), MemoryKind.DEVICE, 0));
            ports.settle();
            assertEquals(2, word(ports.side(1), MemoryKind.DEVICE, 0));
        }
    }

    @Test
    void shouldReportTheTimesOfRequestsServed() {
        try (TwoPorts ports = open(true); Arena arena = Arena.ofConfined()) {
            List<List<Long>> served = new ArrayList<>();
            Observer observer = (sent, seen, start, copied, done) ->
                    served.add(List.of(sent, seen, start, copied, done));
            put(ports.side(0), MemoryKind.HOST, 0, 1);
            put(ports.side(0), MemoryKind.DEVICE, 0, 1);
            ports.side(0).port.get(1, MemoryKind.HOST, 0, arena.allocate(8), null, 0, 8, Long.MAX_VALUE);
            ports.side(0).port.put(1, MemoryKind.HOST, 0, ports.side(0).segment.memory(), null, 0, 9000, 0);
            CopyStreams helpers = ports.side(1).port.newCopyStreams();
            long seenNs = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                ports.side(1).port.progress(helpers, observer, seenNs);
                ports.side(0).progress();
            }
            helpers.close();

            assertEquals(4, served.size());
            for (List<Long> times : served) {
                assertEquals(seenNs, times.get(1));
                assertTrue(times.get(0) <= times.get(1), times::toString);
                assertTrue(times.get(2) <= times.get(3) && times.get(3) <= times.get(4), times::toString);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldUndoAllAtACloseWithTransfersUnfinished(boolean mapped) {
        try (TwoPorts ports = open(mapped)) {
            TwoPorts.Side side = ports.side(0);
            ports.device.hold();
            put(side, MemoryKind.DEVICE, 0, 1);
            side.port.put(1, MemoryKind.DEVICE, 0, null, side.memory, 0, 20_000, 0);
            for (int i = 0; i < 3; i++) {
                side.progress();
                ports.side(1).progress();
            }
            assertTrue(ports.side(1).port.hasInFlight() && !side.port.isAllComplete());
            assertTrue(ports.device.streams() >= 2);

            ports.closePorts();
            assertEquals(0, ports.device.streams());
            assertEquals(0, ports.device.registrations());
        }
    }
}
