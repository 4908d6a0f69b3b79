package org.pgas4j.fastpath.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.pgas4j.UsageException;

class RingLayoutTest {

    private final RingLayout layout = new RingLayout(4096, 8);

    @Test
    void shouldUseTheChunksRoundAndRound() {
        assertEquals(0, layout.index(1));
        assertEquals(7, layout.index(8));
        assertEquals(0, layout.index(9));
        assertEquals(layout.header(1), layout.header(9));
        assertEquals(layout.header(1) + 4096, layout.header(2));
    }

    @Test
    void shouldEndAChunkWithItsHeader() {
        assertEquals(layout.bytes(), layout.header(8) + MessageHeader.BYTES);
        assertTrue(layout.header(1) % 64 == 0, "the flag's cache line holds the header alone");
    }

    @Test
    void shouldPutThePayloadRightBeforeTheHeader() {
        long header = layout.header(3);
        assertEquals(header, RingLayout.payload(header, 0));
        assertEquals(header - 8, RingLayout.payload(header, 1));
        assertEquals(header - 8, RingLayout.payload(header, 8));
        assertEquals(header - 16, RingLayout.payload(header, 9));
        assertEquals(layout.header(2) + MessageHeader.BYTES, RingLayout.payload(header, layout.capacity()));
    }

    @Test
    void shouldRefuseSizesThatAreNoPowersOfTwo() {
        assertEquals("pgas.fastpath.chunk=300 (expected: a power of two, 256..1048576)",
                assertThrows(UsageException.class, () -> new RingLayout(300, 8)).getMessage());
        assertEquals("pgas.fastpath.chunks=12 (expected: a power of two, 8..4096)",
                assertThrows(UsageException.class, () -> new RingLayout(4096, 12)).getMessage());
        for (int bytes : new int[] {0, 128, 1 << 21, Integer.MIN_VALUE}) {
            assertThrows(UsageException.class, () -> new RingLayout(bytes, 8));
        }
    }
}
