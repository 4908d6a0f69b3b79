package org.pgas4j.runtime;

import org.pgas4j.RankCounters;
import org.pgas4j.bootstrap.watch.WaitCounts;
import org.pgas4j.space.sync.LateRanks;
import org.pgas4j.space.transfer.RouteTable;

/** All that is counted of one rank. Written by its thread; any thread may look. */
final class RankCounts {

    private final int rank;
    private final RouteTable routes;
    private final WaitCounts waits;
    private final LateRanks late;
    private final long startNs = System.nanoTime();
    private volatile RankCounters last;

    RankCounts(int rank, RouteTable routes, WaitCounts waits, LateRanks late) {
        this.rank = rank;
        this.routes = routes;
        this.waits = waits;
        this.late = late;
    }

    int rank() {
        return rank;
    }

    /** A snapshot; the last one if the rank has ended. */
    RankCounters look() {
        RankCounters ended = last;
        return ended != null ? ended
                : new RankCounters(rank, System.nanoTime() - startNs, routes.traffic(), waits.look(), late.look());
    }

    /** Keeps the last snapshot, for the rank ends now. */
    void end() {
        last = look();
    }
}
