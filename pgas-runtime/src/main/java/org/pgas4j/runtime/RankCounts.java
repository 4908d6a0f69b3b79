package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.RankCounters;
import org.pgas4j.bootstrap.watch.WaitCounts;
import org.pgas4j.runtime.blocks.BlockTraffic;
import org.pgas4j.space.sync.LateRanks;
import org.pgas4j.space.transfer.RouteTable;

/** All that is counted of one rank. Written by its thread; any thread may look. */
final class RankCounts {

    private final int rank;
    private final RouteTable routes;
    private final WaitCounts waits;
    private final LateRanks late;
    private final BlockTraffic blocks;
    private final long startNs = System.nanoTime();
    private volatile RankCounters last;

    RankCounts(int rank, RouteTable routes, WaitCounts waits, LateRanks late, BlockTraffic blocks) {
        this.rank = rank;
        this.routes = routes;
        this.waits = waits;
        this.late = late;
        this.blocks = blocks;
    }

    int rank() {
        return rank;
    }

    /** A snapshot; the last one if the rank has ended. Transfers of blocks are those that the rank's thread has read. */
    RankCounters look() {
        RankCounters ended = last;
        if (ended != null) {
            return ended;
        }
        List<RankCounters.Traffic> traffic = new ArrayList<>(routes.traffic());
        traffic.addAll(blocks.look());
        return new RankCounters(rank, System.nanoTime() - startNs, traffic, waits.look(), late.look());
    }

    /** Keeps the last snapshot, for the rank ends now. */
    void end() {
        last = look();
    }
}
