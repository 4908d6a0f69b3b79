package org.pgas4j.fastpath.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The header as docs/protocol.md draws it, byte by byte. */
class MessageHeaderTest {

    private static final String GOLDEN = ""
            + "88776655" // length
            + "01" // version
            + "01" // flags: device
            + "0300" // type: answer to a get
            + "1817161514131211" // credit
            + "2827262524232221" // offset
            + "3837363534333231" // request
            + "4847464544434241" // bytes
            + "5857565554535251" // extra
            + "6867666564636261" // sentNs
            + "0a00000000000000"; // sequence

    @Test
    void shouldLookAsDocumented() {
        MemorySegment ring = MemorySegment.ofArray(new long[10]);
        long at = 8;

        MessageHeader.write(ring, at, MessageHeader.GET_REPLY, MessageHeader.DEVICE, 0x55667788, 0x1112131415161718L,
                0x2122232425262728L, 0x3132333435363738L, 0x4142434445464748L, 0x5152535455565758L, 0x6162636465666768L);
        RingSlot.publish(ring, at + MessageHeader.SEQUENCE, 10);

        byte[] bytes = ring.asSlice(at, MessageHeader.BYTES).toArray(ValueLayout.JAVA_BYTE);
        assertEquals(GOLDEN, HexFormat.of().formatHex(bytes));
        assertEquals(64, MessageHeader.BYTES);
        assertEquals(0x55667788, MessageHeader.length(ring, at));
        assertEquals(MessageHeader.VERSION, MessageHeader.version(ring, at));
        assertEquals(MessageHeader.DEVICE, MessageHeader.flags(ring, at));
        assertEquals(MessageHeader.GET_REPLY, MessageHeader.type(ring, at));
        assertEquals(0x1112131415161718L, MessageHeader.field(ring, at, MessageHeader.CREDIT));
        assertEquals(0x2122232425262728L, MessageHeader.field(ring, at, MessageHeader.OFFSET));
        assertEquals(0x3132333435363738L, MessageHeader.field(ring, at, MessageHeader.REQUEST));
        assertEquals(0x4142434445464748L, MessageHeader.field(ring, at, MessageHeader.SIZE));
        assertEquals(0x5152535455565758L, MessageHeader.field(ring, at, MessageHeader.EXTRA));
        assertEquals(0x6162636465666768L, MessageHeader.field(ring, at, MessageHeader.SENT));
        assertEquals(10, RingSlot.sequence(ring, at + MessageHeader.SEQUENCE));
    }

    @Test
    void shouldKeepTheNumbersOfTypes() {
        assertEquals("1 2 3 4 5 6 7 8 9 10 11", String.join(" ", java.util.stream.IntStream.of(MessageHeader.PUT,
                MessageHeader.GET, MessageHeader.GET_REPLY, MessageHeader.SET, MessageHeader.FENCE,
                MessageHeader.RENDEZVOUS_PUT, MessageHeader.RENDEZVOUS_GET, MessageHeader.READY, MessageHeader.DONE,
                MessageHeader.FORGET, MessageHeader.NOTIFY).mapToObj(Integer::toString).toList()));
    }

    /** Two for the counter of tag 7 of block 4. */
    @Test
    void shouldCarryANotificationAsDocumented() {
        MemorySegment ring = MemorySegment.ofArray(new long[8]);

        MessageHeader.write(ring, 0, MessageHeader.NOTIFY, 0, 0, 0, 0, 0, 2, 7 | 5L << 32, 0);

        assertEquals("00000000" + "01" + "00" + "0b00" + "0".repeat(48) + "0200000000000000" + "0700000005000000"
                + "0".repeat(32), HexFormat.of().formatHex(ring.asSlice(0, 64).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Test
    void shouldEndWithTheFlag() {
        assertEquals(MessageHeader.BYTES - Long.BYTES, MessageHeader.SEQUENCE);
    }
}
