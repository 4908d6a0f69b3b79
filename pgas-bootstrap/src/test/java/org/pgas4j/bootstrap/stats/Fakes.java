package org.pgas4j.bootstrap.stats;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.RankCounters.Waits;

/** Counters as a job might have them. */
final class Fakes {

    static final long SECOND = 1_000_000_000L;

    private Fakes() {
    }

    static JobStats job(int ranks, IntFunction<RankCounters> counters) {
        List<RankCounters> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            all.add(counters.apply(rank));
        }
        JobStats stats = new JobStats(ranks);
        stats.add(all);
        return stats;
    }

    /** A rank that ran for ten seconds. */
    static RankCounters rank(int rank, List<Traffic> traffic, List<Waits> waits, List<Late> late) {
        return new RankCounters(rank, 10 * SECOND, traffic, waits, late);
    }

    static RankCounters traffic(int rank, Traffic... lines) {
        return rank(rank, List.of(lines), List.of(), List.of());
    }

    static Traffic puts(int peer, long each, long calls) {
        return new Traffic(peer, "direct-host", "put", Long.highestOneBit(each), calls, each * calls, "");
    }

    static Traffic gets(int peer, long each, long calls) {
        return new Traffic(peer, "direct-host", "get", Long.highestOneBit(each), calls, each * calls, "");
    }

    static Traffic messages(int peer, long each, long calls, String reason) {
        return new Traffic(peer, "rendezvous", "put", Long.highestOneBit(each), calls, each * calls, reason);
    }
}
