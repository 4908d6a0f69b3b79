package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PacketRingsTest {

    private static final long HEAP = 1L << 30;
    private static final int BLOCKS = 132;

    @Test
    void shouldHaveSixteenPutsOfTheLargestSizeInARing() {
        PacketRings rings = PacketRings.of(256, HEAP, BLOCKS);

        assertEquals(256, rings.bytes());
        // 8 bytes of payload for each packet
        assertEquals(16 * 256, 8 << rings.shift());
        assertEquals(rings.count() * 16L << rings.shift(), rings.blockBytes());
    }

    @Test
    void shouldRoundRingsUpAndNotThePayload() {
        PacketRings rings = PacketRings.of(200, HEAP, BLOCKS);

        assertEquals(200, rings.bytes());
        assertEquals(16 * 256, 8 << rings.shift());
    }

    @Test
    void shouldHaveFourPutsOfLargeSizesInARing() {
        PacketRings rings = PacketRings.of(8192, HEAP, BLOCKS);

        assertEquals(4096, rings.bytes());
        assertEquals(4 * 4096, 8 << rings.shift());
        assertEquals(rings.count() * 16L << rings.shift(), rings.blockBytes());
    }

    @Test
    void shouldHaveFourRingsForLargePayloads() {
        assertEquals(4, PacketRings.of(4096, 32L * BLOCKS * 4 * 8 * 4096, BLOCKS).count());
        assertEquals(2048, PacketRings.of(4096, 32L * BLOCKS * 4 * 8 * 4095, BLOCKS).bytes());
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
        assertEquals(64, PacketRings.of(256, 32L * BLOCKS * 2 * 32 * 64, BLOCKS).bytes());
        assertEquals(PacketRings.NONE, PacketRings.of(256, 32L * BLOCKS * 2 * 32 * 63, BLOCKS));
    }

    @Test
    void shouldLeaveRegistersToGridsOfManyThreads() {
        assertTrue(PacketRings.haveRegisters(132, 256, 132));
        assertTrue(PacketRings.haveRegisters(528, 64, 132));
        assertTrue(PacketRings.haveRegisters(132, 512, 132), "compiled for so many");
        assertFalse(PacketRings.haveRegisters(132, 544, 132), "a block with too many threads");
        assertFalse(PacketRings.haveRegisters(133, 288, 132), "two blocks with too many threads");
        assertFalse(PacketRings.haveRegisters(133, 256, 132), "too many blocks of a multiprocessor");
        assertFalse(PacketRings.haveRegisters(Integer.MAX_VALUE, 1024, 1));
    }

    @Test
    void shouldLimitRegistersOfBlocksWithManyThreads() {
        assertEquals(0, PacketRings.maxRegisters(256));
        assertEquals(128, PacketRings.maxRegisters(288));
        assertEquals(65536, 512 * PacketRings.maxRegisters(512));
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
        PacketRings rings = new PacketRings(128, 3);
        BlockLayout layout = new BlockLayout(2, 5, rings, 8, 0);

        assertTrue(layout.ringsAt() >= layout.record(5), "rings overlap a record");
        assertEquals(0, layout.ringsAt() % 256);
        assertEquals(5 * 3 * 32 * 128, layout.ringsBytes());
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
