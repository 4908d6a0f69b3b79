package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;

/** Messages that no port sends: each ends in a failure that names it, and touches no memory. */
@Timeout(60)
class MalformedMessageTest {

    private static final RingLayout RING = TwoPorts.OPTIONS.ring();
    private static final int CHUNK = RING.capacity();

    private TwoPorts ports;
    private TwoPorts.Side target;

    @BeforeEach
    void open() {
        ports = new TwoPorts(new LoopbackConduit());
        target = ports.side(1);
        ports.side(0).port.connect(1);
    }

    @AfterEach
    void close() {
        ports.close();
    }

    /** The failure of the message that was received last, which leaves memory as it was. */
    private String failure(int type) {
        String message = assertThrows(PgasException.class, target::progress).getMessage();
        String prefix = "protocol violation: rank 1 got message 1 of type " + type + " from rank 0: ";
        assertTrue(message.startsWith(prefix), message);
        for (MemoryKind kind : MemoryKind.values()) {
            assertUntouched(target.memory(kind));
        }
        assertFalse(target.port.hasInFlight());
        return message.substring(prefix.length());
    }

    private static void assertUntouched(MemorySegment memory) {
        byte[] expected = new byte[(int) memory.byteSize()];
        Arrays.fill(expected, TwoPorts.UNTOUCHED);
        assertEquals(-1, memory.mismatch(MemorySegment.ofArray(expected)), "first byte that was written");
    }

    private static int flags(MemoryKind kind) {
        return kind == MemoryKind.DEVICE ? MessageHeader.DEVICE : 0;
    }

    private static String outOfBounds(MemoryKind kind, long offset, long length) {
        return "out of bounds: kind=" + kind + " offset=" + offset + " length=" + length + " segmentBytes=65536";
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 14, 0xffff})
    void shouldRefuseAnUnknownType(int type) {
        target.receive(1, type, 0, 0, 0, 0, 0, 0);
        assertEquals("unknown type", failure(type));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, -1, 1L << 40})
    void shouldRefuseCommandsForBlocksThatThereAreNot(long team) {
        target.receive(1, MessageHeader.BLOCKS, 0, 8, 0, 0, 0, team);
        assertEquals("blocks " + team + ": this rank has no blocks", failure(MessageHeader.BLOCKS));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 193, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldRefuseALengthThatNoChunkHas(int length) {
        target.receive(1, MessageHeader.PUT, 0, length, 0, 0, 0, 0);
        assertEquals("version 1, length " + length, failure(MessageHeader.PUT));
    }

    @Test
    void shouldRefuseAnotherVersion() {
        MemorySegment ring = target.ring.memory();
        long header = RING.header(1);
        MessageHeader.write(ring, header, MessageHeader.PUT, 0, 8, 0, 0, 0, 0, 0, 0);
        ring.set(ValueLayout.JAVA_BYTE, header + MessageHeader.VERSION_AT, (byte) 2);
        RingSlot.publish(ring, header + MessageHeader.SEQUENCE, 1);
        assertEquals("version 2, length 8", failure(MessageHeader.PUT));
    }

    @ParameterizedTest
    @CsvSource({"-1, 8", "65529, 8", "65536, 1", "65537, 0", "9223372036854775807, 8", "-9223372036854775808, 8"})
    void shouldRefuseAPutBeyondTheHeap(long offset, int length) {
        for (MemoryKind kind : MemoryKind.values()) {
            target.receive(1, MessageHeader.PUT, flags(kind), length, offset, 0, 0, 0);
            assertEquals(outOfBounds(kind, offset, length), failure(MessageHeader.PUT));
        }
    }

    @ParameterizedTest
    @CsvSource({"2, -1, 8", "2, 65529, 8", "2, 0, -1", "2, 0, 9223372036854775807", "2, 9223372036854775807, 8",
        "4, -1, 8", "4, 1, 65536", "4, 0, -1", "4, 9223372036854775807, 9223372036854775807",
        "6, 65529, 8", "6, -8, 8", "7, 1, 65536", "7, 0, -9223372036854775808"})
    void shouldRefuseARangeBeyondTheHeap(int type, long offset, long bytes) {
        for (MemoryKind kind : MemoryKind.values()) {
            target.receive(1, type, flags(kind), 0, offset, 2, bytes, 0);
            assertEquals(outOfBounds(kind, offset, bytes), failure(type));
        }
    }

    @Test
    void shouldRefuseAGetOfMoreThanAChunk() {
        target.receive(1, MessageHeader.GET, 0, 0, 0, 0, CHUNK + 1, 0);
        assertEquals("wants 193 bytes, a chunk holds 192", failure(MessageHeader.GET));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 255, 256, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldRefuseAnAnswerToNoRequest(long request) {
        target.receive(1, MessageHeader.GET_REPLY, 0, 8, 0, request, 8, 0);
        assertEquals("no such request: " + request + ", place 0, length 8", failure(MessageHeader.GET_REPLY));
    }

    @ParameterizedTest
    @CsvSource({"-1, 8", "1, 16", "16, 1", "9223372036854775807, 8"})
    void shouldRefuseAnAnswerBesideItsPlace(long place, int length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(64).fill(TwoPorts.UNTOUCHED);
            Operation get = target.port.get(0, MemoryKind.HOST, 0, to, null, 24, 16, Long.MAX_VALUE);
            long request = MessageHeader.field(ports.side(0).ring.memory(), RING.header(1), MessageHeader.REQUEST);
            target.receive(1, MessageHeader.GET_REPLY, 0, length, 0, request, length, place);

            assertEquals("no such request: " + request + ", place " + place + ", length " + length,
                    failure(MessageHeader.GET_REPLY));
            assertFalse(get.isComplete());
            assertUntouched(to);
        }
    }

    @Test
    void shouldRefuseMoreAnswersThanAreMissing() {
        try (Arena arena = Arena.ofConfined()) {
            target.port.get(0, MemoryKind.HOST, 0, arena.allocate(64), null, 0, 16, Long.MAX_VALUE);
            long request = MessageHeader.field(ports.side(0).ring.memory(), RING.header(1), MessageHeader.REQUEST);
            target.receive(1, MessageHeader.GET_REPLY, 0, 12, 0, request, 12, 0);
            target.receive(2, MessageHeader.GET_REPLY, 0, 12, 0, request, 12, 4);

            String message = assertThrows(PgasException.class, target::progress).getMessage();
            assertEquals("rank 1 got 12 bytes for request " + request + ", of which 4 are missing", message);
        }
    }

    @ParameterizedTest
    @CsvSource({"3, -1", "5, 7", "16777215, -1", "0, -2", "1, -1000"})
    void shouldRefuseANotificationOfNoKindOrBlock(int kind, int block) {
        target.port.notifications((_, _, _, _) -> {
            throw new AssertionError("not to be called");
        });
        target.receive(1, MessageHeader.NOTIFY, 0, 0, 0, 0, 1, 9L | (long) kind << 8 | block + 1L << 32);
        assertEquals("kind " + kind + ", block " + block, failure(MessageHeader.NOTIFY));
    }

    @Test
    void shouldNameANotificationThatItsSinkRefuses() {
        target.receive(1, MessageHeader.NOTIFY, 0, 0, 0, 0, 1, 7);
        assertEquals("block -1, tag 7: this rank takes no notifications", failure(MessageHeader.NOTIFY));
    }

    @ParameterizedTest
    @CsvSource({"8, 2", "9, 2", "8, 3", "9, 3", "8, -1"})
    void shouldRefuseACountOfNoRendezvous(int type, long request) {
        target.receive(1, type, 0, 0, 0, request, 0, 1);
        assertEquals("no such rendezvous: " + request, failure(type));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Region.FIELDS - 1})
    void shouldRefuseARendezvousWithoutARegion(int length) {
        target.receive(1, MessageHeader.RENDEZVOUS_PUT, 0, length, 0, 2, 8, 1);
        assertEquals("address of " + length + " bytes", failure(MessageHeader.RENDEZVOUS_PUT));
    }

    /** Base, piece, size, depth, bytes of path and key as the region has them, bytes that follow. */
    @ParameterizedTest
    @CsvSource({"0, 0, 4096, 1, 0, 0, 0", "0, -1, 4096, 1, 0, 0, 0", "0, 2147483648, 4096, 1, 0, 0, 0",
        "-1, 8, 4096, 1, 0, 0, 0", "4089, 8, 4096, 1, 0, 0, 0", "0, 8, 4096, -1, 0, 0, 0",
        "0, 8, 1000000, 1025, 0, 0, 0",
        "0, 4096, 4096, 2, 0, 0, 0", "9223372036854775807, 8, 4096, 0, 0, 0, 0", "0, 8, 4096, 1, -1, 1, 0",
        "0, 8, 4096, 1, 9, 0, 8", "0, 8, 4096, 1, 2147483647, 2147483647, 8", "0, 8, 4096, 1, 4, 3, 8"})
    void shouldRefuseARegionThatDoesNotHoldItsPieces(long base, long piece, long size, int depth, int path, int key,
                                                      int rest) {
        int length = Region.FIELDS + rest;
        target.receive(1, MessageHeader.RENDEZVOUS_PUT, 0, length, 0, 2, 8, 1);
        MemorySegment ring = target.ring.memory();
        long at = RingLayout.payload(RING.header(1), length);
        Region.write(ring, at, 1, base, piece, size, depth, new byte[0], new byte[0]);
        ring.set(ValueLayout.JAVA_INT_UNALIGNED, at + 36, path);
        ring.set(ValueLayout.JAVA_INT_UNALIGNED, at + 40, key);
        assertEquals("slots: piece=" + piece + " depth=" + depth + " base=" + base + " size=" + size + " path=" + path
                + " key=" + key, failure(MessageHeader.RENDEZVOUS_PUT));
    }

    @Test
    void shouldRefuseATemporaryThatWasNeverSentOrIsForgotten() {
        target.receive(1, MessageHeader.FORGET, 0, 0, 0, 0, 0, 5); // of what is not known: nothing to do
        target.progress();
        target.receive(2, MessageHeader.RENDEZVOUS_GET, 0, Region.FIELDS, 0, 3, 8, 0);
        Region.write(target.ring.memory(), RingLayout.payload(RING.header(2), Region.FIELDS), 5, 0, 8, 4096, 1,
                new byte[0], new byte[0]);
        String message = assertThrows(PgasException.class, target::progress).getMessage();
        assertTrue(message.contains("got message 2 of type ") && message.endsWith("temporary 5 is not known"), message);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 2, -1, 17, Long.MAX_VALUE})
    void shouldNotSeeAMessageWithoutItsNumber(long sequence) {
        long header = RING.header(1);
        MessageHeader.write(target.ring.memory(), header, MessageHeader.SET, 0, 0, 0, 0, 0, 8, 1, 0);
        RingSlot.publish(target.ring.memory(), header + MessageHeader.SEQUENCE, sequence);

        target.progress();

        assertFalse(target.port.hasMessage());
        assertEquals(TwoPorts.UNTOUCHED, target.segment.memory().get(ValueLayout.JAVA_BYTE, TwoPorts.HEAP_START));
    }

    @ParameterizedTest
    @CsvSource({"8, 516, 65529, 'out of bounds: kind=HOST offset=65529 length=8 segmentBytes=65536'",
        "8, 516, -8, 'out of bounds: kind=HOST offset=-8 length=8 segmentBytes=65536'",
        "8, 516, 4, 'ADD of LONG at offset 4'", "8, 260, 2, 'ADD of INT at offset 2'", "8, 1034, 8, 'XOR of DOUBLE at offset 8'",
        "8, 1035, 8, 'UNSIGNED_MIN of DOUBLE at offset 8'", "8, 780, 8, 'UNSIGNED_MAX of FLOAT at offset 8'",
        "8, 1284, 8, 'type of an atomic word: 5 (expected: 1..4)'", "8, 525, 8, 'atomic operation 13 (expected: 0..12)'",
        "16, 516, 8, 'payload of 16 bytes (expected: 8)'", "0, 516, 8, 'payload of 0 bytes (expected: 8)'"})
    void shouldRefuseAnAtomicOperationThatIsNone(int length, long what, long offset, String reason) {
        target.ring.memory().set(ValueLayout.JAVA_LONG, RingLayout.payload(RING.header(1), 8), what);
        target.receive(1, MessageHeader.ATOMIC, 0, length, offset, 0, 1, 0);
        assertEquals(reason, failure(MessageHeader.ATOMIC));
    }
}
