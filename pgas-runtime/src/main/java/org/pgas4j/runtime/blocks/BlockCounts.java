package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.space.memory.Peer;

/**
 * Counts of the transfers of one grid's blocks, which the blocks add to in device memory. The host reads them when somebody wants to
 * know, and passes on what was added since. Used by the rank's thread.
 */
final class BlockCounts {

    private final BlockEnvironment env;
    private final BlockLayout layout;
    private final Partners partners;
    private final long area;
    private final IntPredicate reaches;
    private final RankTable<long[]> before; // of ranks with which blocks have transferred, as the area has them

    /**
     * Counts of new blocks, which are zeros.
     *
     * @param area    offset in the device segment
     * @param reaches whether blocks load and store in the memory of a rank by themselves
     */
    BlockCounts(BlockEnvironment env, BlockLayout layout, Partners partners, long area, IntPredicate reaches) {
        this.env = env;
        this.layout = layout;
        this.partners = partners;
        this.area = area;
        this.reaches = reaches;
        this.before = new RankTable<>(env.ranks());
    }

    /** Reads the counts as they are, while blocks run or not. */
    void read(Supplier<String> reason) {
        long bytes = layout.counts(layout.perRank()) - layout.countsAt();
        Peer self = env.peers().get(env.rank());
        try (Arena arena = Arena.ofShared(); AcceleratorStream stream = env.accelerator().newStream()) {
            MemorySegment now = arena.allocate(bytes, Long.BYTES);
            stream.copyOut(now, 0, self.device(), self.deviceOffset() + area + layout.countsAt(), bytes);
            env.await(stream, reason);
            for (int block = 0; block < layout.perRank(); block++) {
                for (int peer = 0; peer < layout.hostRanks(); peer++) {
                    if (partners.has(peer)) {
                        long at = layout.counts(block) - layout.countsAt() + (long) partners.here(peer) * BlockLayout.COUNTS_BYTES;
                        add(now, peer, block, "put", at, BlockLayout.COUNTED_PUTS);
                        add(now, peer, block, "get", at, BlockLayout.COUNTED_GETS);
                    }
                }
            }
        }
    }

    private void add(MemorySegment now, int peer, int block, String operation, long counts, int offset) {
        long calls = now.get(ValueLayout.JAVA_LONG, counts + offset);
        if (calls == 0) {
            return;
        }
        long bytes = now.get(ValueLayout.JAVA_LONG, counts + offset + BlockLayout.COUNTED_BYTES);
        long[] then = before.get(peer);
        if (then == null) {
            then = new long[layout.perRank() * BlockLayout.COUNTS_BYTES / Long.BYTES];
            before.put(peer, then);
        }
        int index = (block * BlockLayout.COUNTS_BYTES + offset) / Long.BYTES;
        env.traffic().add(peer, reaches.test(peer) ? BlockTraffic.ROUTE : BlockTraffic.ROUTE_BY_HOST, operation, calls - then[index],
                bytes - then[index + 1]);
        then[index] = calls;
        then[index + 1] = bytes;
    }
}
