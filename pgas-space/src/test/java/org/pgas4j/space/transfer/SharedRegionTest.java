package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.RankTasks;
import org.pgas4j.space.sync.ScalarAllReduce;

@Timeout(60)
class SharedRegionTest {

    private static final MemorySegment EVERYTHING = HostDeviceMemory.everything();

    /** Address at which a rank finds an offset from the start of another's segment. */
    private static long place(PlainRanks all, int by, int owner, long offset) {
        return all.peers(by).device(owner).address() + all.segments(by).deviceOffset(owner) + offset;
    }

    @Test
    void shouldBeFoundByEachRankAtItsOwnPlace() throws Exception {
        int ranks = 13; // more than the words of a broadcast
        try (PlainRanks all = new PlainRanks(4, ranks, new LoopbackConduit())) {
            List<Long> checked = RankTasks.run(ranks, rank -> () -> {
                Accelerator device = all.devices().open(0);
                ScalarAllReduce words = all.words(rank);
                long shown = rank == 5 ? 0 : 100 + rank;
                try (DeviceMemory memory = device.allocate(9000, false);
                        SharedRegion region = new SharedRegion(rank, ranks, all.segments(rank), all.peers(rank), device, words,
                                memory.address() + 64, shown)) {
                    long own = place(all, rank, rank, 0);
                    long found = 0;
                    for (int by = 0; by < ranks; by++) {
                        long offset = memory.address() + 64 - own + region.shift(by); // as a window's entry for that rank
                        EVERYTHING.set(ValueLayout.JAVA_LONG, memory.address() + 64, rank * 1000L + by);
                        words.broadcast(0L, 0);
                        for (int owner = 0; owner < ranks; owner++) {
                            long there = words.broadcast(offset, owner);
                            if (by == rank && owner != 5) {
                                assertEquals(owner * 1000L + by,
                                        EVERYTHING.get(ValueLayout.JAVA_LONG_UNALIGNED, place(all, by, owner, there)));
                                found++;
                            }
                        }
                        words.broadcast(0L, 0);
                    }
                    words.broadcast(0L, 0);
                    return found;
                }
            });
            assertTrue(checked.stream().allMatch(found -> found == ranks - 1), checked.toString());
        }
    }

    @Test
    void shouldFailOnAllRanksIfOneCannotShare() throws Exception {
        try (PlainRanks all = new PlainRanks(3, 3, new LoopbackConduit())) {
            List<String> failures = RankTasks.run(3, rank -> () -> {
                Accelerator device = all.devices().open(0);
                try (DeviceMemory memory = device.allocate(4096, false)) {
                    return assertThrows(DeviceException.class, () -> new SharedRegion(rank, 3, all.segments(rank), all.peers(rank),
                            device, all.words(rank), rank == 1 ? 4096 : memory.address(), 100)).getMessage();
                }
            });
            assertTrue(failures.get(1).contains("100 bytes at 0x1000"), failures.get(1));
            assertTrue(failures.get(0).contains("rank 1 could not share"), failures.get(0));
            assertTrue(failures.get(2).contains("rank 1 could not share"), failures.get(2));
        }
    }
}
