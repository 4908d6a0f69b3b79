package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PacketRingsTest {

    private static final long HEAP = 1L << 30;
    private static final int BLOCKS = 132;

    @Test
    void shouldHaveTwoPutsOfTheLargestSizeInARing() {
        PacketRings rings = PacketRings.of(8192, HEAP, BLOCKS);

        assertEquals(8192, rings.bytes());
        // 8 bytes of payload for each packet
        assertEquals(2 * 8192, 8 << rings.shift());
        assertEquals(rings.count() * 16L << rings.shift(), rings.blockBytes());
    }

    @Test
    void shouldRoundRingsUpAndNotThePayload() {
        PacketRings rings = PacketRings.of(5000, HEAP, BLOCKS);

        assertEquals(5000, rings.bytes());
        assertEquals(2 * 8192, 8 << rings.shift());
    }

    @Test
    void shouldTakeABoundedPartOfTheHeap() {
        for (long heap = 1 << 16; heap <= HEAP; heap *= 2) {
            for (int blocks : new int[] {1, 7, BLOCKS, 1000}) {
                PacketRings rings = PacketRings.of(PacketRings.MAX_BYTES, heap, blocks);
                assertTrue(blocks * rings.blockBytes() <= heap / PacketRings.HEAP_SHARE, heap + " " + blocks + " " + rings);
                assertTrue(rings.count() <= BlockLayout.RINGS, rings.toString());
            }
        }
    }

    @Test
    void shouldSendLessAsPacketsWhereTheHeapIsSmall() {
        assertEquals(1024, PacketRings.of(8192, 32L * BLOCKS * 2 * 4096, BLOCKS).bytes());
        assertEquals(PacketRings.NONE, PacketRings.of(8192, 32L * BLOCKS * 2 * 255, BLOCKS));
    }

    @Test
    void shouldHaveNoRingsWithoutPackets() {
        assertEquals(PacketRings.NONE, PacketRings.of(0, HEAP, BLOCKS));
        assertEquals(PacketRings.NONE, PacketRings.of(8, HEAP, BLOCKS));
        assertEquals(0, PacketRings.NONE.blockBytes());
        assertEquals(0, PacketRings.NONE.shift());
    }

    @Test
    void shouldPutRingsBehindTheRecords() {
        PacketRings rings = new PacketRings(1024, 3);
        BlockLayout layout = new BlockLayout(2, 5, rings);

        assertTrue(layout.ringsAt() >= layout.record(5), "rings overlap a record");
        assertEquals(0, layout.ringsAt() % 256);
        assertEquals(5 * 3 * 4 * 1024, layout.ringsBytes());
        assertEquals(layout.ringsAt() + layout.ringsBytes(), layout.bytes());
        assertEquals(new BlockLayout(2, 5).ringsAt(), new BlockLayout(2, 5).bytes());
    }

    @Test
    void shouldHaveLengthsThatFitAMessage() {
        assertTrue(PacketRings.MAX_BYTES < 1 << 16, "a length has 16 bits");
        assertEquals(512, BlockLayout.LANDING - BlockLayout.PACKS);
        assertEquals(16 * BlockLayout.TARGETS, BlockLayout.LANDING - BlockLayout.PACKS);
    }
}
