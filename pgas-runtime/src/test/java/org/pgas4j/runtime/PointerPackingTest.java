package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.PointerPacking;
import org.pgas4j.RankProgram;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;

/** Words of packed pointers, bit by bit, and what they refuse; more is in contract {@code pointers}. */
@Timeout(60)
class PointerPackingTest {

    private static final long HEAP_BYTES = 1 << 22;

    private static void run(int ranks, RankProgram program) {
        Pgas.run(new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES), program);
    }

    /** 2^22 bytes are 2^19 places of 8 bytes: 20 bits. Blocks of 5 elements: 3 bits. 3 ranks: 2 bits. */
    @Test
    void shouldHaveFieldsAsDrawn() {
        run(3, rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.blocked(5), 40);
            PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 5, 8);
            assertEquals(8, packing.unitBytes());
            assertEquals(64 - 20 - 3 - 2, packing.generationBits());
            for (long i = 0; i <= array.length(); i++) {
                SharedPointer pointer = array.pointer(i);
                long word = packing.pack(pointer);
                assertEquals(pointer.addrField() / 8 + 1, word & (1 << 20) - 1);
                assertEquals(pointer.phase(), word >>> 20 & 7);
                assertEquals(pointer.rank(), word >>> 23 & 3);
                assertEquals(pointer.generation() & (1L << 39) - 1, word >>> 25);
                assertEquals(pointer, packing.unpack(word));
            }
        });
    }

    /** The largest power of two that divides the element size. */
    @Test
    void shouldCountPlacesInUnits() {
        run(1, rank -> {
            int[] units = {1, 2, 1, 4, 8, 8, 256, 256};
            long[] sizes = {1, 2, 3, 4, 24, 40, 256, 1024};
            for (int i = 0; i < sizes.length; i++) {
                PointerPacking packing = rank.memory().packing(MemoryKind.DEVICE, 0, sizes[i]);
                assertEquals(units[i], packing.unitBytes(), "elements of " + sizes[i]);
                MemoryLayout record = MemoryLayout.sequenceLayout(sizes[i], ValueLayout.JAVA_BYTE);
                SharedRecords records = rank.allAllocRecords(record, Layout.onRank(0), 9);
                PointerPacking ofHost = rank.memory().packing(MemoryKind.HOST, 0, sizes[i]);
                assertEquals(records.pointer(8), ofHost.unpack(ofHost.pack(records.pointer(8))));
            }
        });
    }

    /** A pointer may point to the segment's end, which is the end of the allocation there. */
    @Test
    void shouldPackTheEndOfTheSegment() {
        run(1, rank -> {
            SharedPointer own = rank.alloc(512);
            assertEquals(HEAP_BYTES, own.addrField() + 512);
            PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 0, 1);
            assertEquals(own.plus(512), packing.unpack(packing.pack(own.plus(512))));
        });
    }

    @Test
    void shouldRefuseWhatHasNoWord() {
        run(3, rank -> {
            PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 0, 8);
            SharedPointer own = rank.alloc(64).cast(0, 8);
            assertNull(packing.unpack(packing.pack(null)));
            refuses("of this type", () -> packing.pack(own.cast(0, 4)));
            refuses("of this type", () -> packing.pack(own.cast(2, 8)));
            refuses("multiple of 8", () -> packing.pack(own.cast(0, 1).plus(3).cast(0, 8)));
            refuses("into its allocation", () -> packing.pack(own.plus(9)));
            refuses("into its allocation", () -> packing.pack(own.minus(1)));
            refuses("into its allocation", () -> packing.pack(own.onRank((rank.rank() + 1) % 3)));
            refuses("belongs to an allocation",
                    () -> packing.pack(PgasUnsafe.pointer(MemoryKind.HOST, 0, 3, 0, 0, 0, 8)));
        });
    }

    @Test
    void shouldRefuseWordsOfNoPointer() {
        run(3, rank -> {
            PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 5, 8);
            refuses("rank=3", () -> packing.unpack(3L << 23 | 1));
            refuses("phase=5", () -> packing.unpack(5L << 20 | 1));
            refuses("place=524289", () -> packing.unpack((1 << 19) + 2));
            refuses("place=-1", () -> packing.unpack(1L << 20));
        });
    }

    /** 20 bits of place and 2 of the rank leave 42 for the phase; with those no bit of the generation is left. */
    @Test
    void shouldRefuseTypesThatDoNotFit() {
        run(3, rank -> {
            assertEquals(0, rank.memory().packing(MemoryKind.HOST, 1L << 42, 8).generationBits());
            IllegalArgumentException e = refuses("43 for blocks of",
                    () -> rank.memory().packing(MemoryKind.HOST, (1L << 42) + 1, 8));
            assertTrue(e.getMessage().contains("2 bits for 3 ranks") && e.getMessage().contains("20 for " + HEAP_BYTES)
                    && e.getMessage().contains("needs 65 bits"), e::toString);
            refuses("elementBytes=0", () -> rank.memory().packing(MemoryKind.HOST, 0, 0));
        });
    }

    /** Without bits of the generation, a word leads to what lives at its place. */
    @Test
    void shouldWorkWithoutAGeneration() {
        run(3, rank -> {
            PointerPacking packing = rank.memory().packing(MemoryKind.HOST, 1L << 42, 8);
            SharedPointer own = rank.alloc(64).cast(1L << 42, 8);
            assertEquals(own.plus(3), packing.unpack(packing.pack(own.plus(3))));
        });
    }

    private static IllegalArgumentException refuses(String fragment, Runnable action) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, action::run);
        assertTrue(e.getMessage().contains(fragment), e::toString);
        return e;
    }
}
