package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.DeviceGrid.Options;
import org.pgas4j.GridRank.Comm;

class BlockLayoutTest {

    private static BlockLayout layout(int hostRanks, int perRank, int windows) {
        return layout(hostRanks, perRank, windows, 0);
    }

    private static BlockLayout layout(int hostRanks, int perRank, int windows, int partners) {
        return new BlockLayout(hostRanks, perRank, PacketRings.NONE, windows, partners);
    }

    /** Of 264 blocks a rank, the bytes of all windows' tables on a device: as many as there may be, the usual number, and one. */
    @ParameterizedTest
    @CsvSource({"4, 1351680, 405504, 287232", "64, 17571840, 2433024, 540672", "1024, 277094400, 34873344, 4595712"})
    void shouldTakeMemoryForTheWindowsThatAreAskedFor(int hostRanks, long most, long usual, long one) {
        assertEquals(most, tables(layout(hostRanks, 264, Options.MAX_WINDOWS)));
        assertEquals(usual, tables(new BlockLayout(hostRanks, 264)));
        assertEquals(one, tables(layout(hostRanks, 264, 1)));
    }

    private static long tables(BlockLayout layout) {
        assertEquals(0, layout.windowsAt() % BlockLayout.LINE);
        long bytes = layout.blocksAt() - layout.windowsAt();
        long used = layout.windows() * layout.windowBytes()
                + (long) Options.MAX_WINDOWS * layout.perRank() * BlockLayout.ENTRY_BYTES;
        assertTrue(used <= bytes && bytes - used < 256, "padding of " + (bytes - used) + " bytes");
        return used;
    }

    /** One more rank costs all windows' entries of its blocks, its line and word, and a count for each own block; no record. */
    @Test
    void shouldGrowWithTheJobByTablesAndCountsAlone() {
        long more = layout(1025, 264, 2).bytes() - layout(1024, 264, 2).bytes();
        long expected = 264 * (2 * 16 + 32) + 64 + 8;

        assertTrue(Math.abs(more - expected) < 1024, more + " bytes, expected " + expected);
    }

    /** With partners one more rank costs its line, its word and its place, whatever its blocks. */
    @Test
    void shouldGrowByNoTableWhereRanksHavePartners() {
        assertTrue(layout(1024, 264, 8, 7).bytes() < layout(8, 264, 8).bytes() + 1024 * (64 + 8 + 4) + 1024);
        for (int perRank : new int[] {1, 264}) {
            long more = layout(2048, perRank, 8, 7).bytes() - layout(1024, perRank, 8, 7).bytes();
            assertEquals(1024 * (64 + 8 + 4), more);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, 0", "2, 5, 3, 0", "3, 4, 64, 0", "9, 4, 8, 3"})
    void shouldGiveEachEntryItsPlace(int hostRanks, int perRank, int windows, int partners) {
        BlockLayout layout = layout(hostRanks, perRank, windows, partners);
        TreeSet<Long> places = new TreeSet<>();
        for (int window = 0; window < layout.windows(Comm.WORLD); window++) {
            for (int block = 0; block < layout.tableBlocks(); block++) {
                places.add(layout.windowEntry(window, block / perRank, block % perRank));
            }
        }
        for (int window = 0; window < layout.windows(Comm.DEVICE); window++) {
            for (int block = 0; block < perRank; block++) {
                places.add(layout.windowEntry(window | BlockLayout.DEVICE_WINDOW, 0, block));
            }
        }

        long count = windows * layout.tableBlocks() + 64L * perRank;
        assertEquals(count, places.size());
        assertEquals(layout.windowsAt(), places.first());
        assertEquals((count - 1) * BlockLayout.ENTRY_BYTES, places.last() - places.first());
        assertTrue(places.last() + BlockLayout.ENTRY_BYTES <= layout.blocksAt());
    }
}
