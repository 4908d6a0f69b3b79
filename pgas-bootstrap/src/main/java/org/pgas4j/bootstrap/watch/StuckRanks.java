package org.pgas4j.bootstrap.watch;

import org.pgas4j.bootstrap.Phase;

/** Finds ranks that stay in one operation although its deadline has passed. Used by one thread, which brings the time. */
final class StuckRanks {

    private final StatusBoard board;
    private final int firstRank;
    private final long limitNs;
    private final long[] words;
    private final long[] sinceNs;

    /**
     * A rank without progress.
     *
     * @param status   in which it was found
     * @param waitedNs since its last progress was seen
     */
    record Stuck(int rank, RankStatus status, long waitedNs) {
    }

    /** @param limitNs how long an operation may stay without progress */
    StuckRanks(StatusBoard board, int firstRank, int endRank, long limitNs) {
        this.board = board;
        this.firstRank = firstRank;
        this.limitNs = limitNs;
        this.words = new long[endRank - firstRank];
        this.sinceNs = new long[endRank - firstRank];
    }

    /** Looks at all ranks; the first one that is stuck, or null. */
    Stuck find(long nowNs) {
        for (int i = 0; i < words.length; i++) {
            RankStatus status = board.activity(firstRank + i).look();
            if (status.word() != words[i] || !status.isInside() || status.phase() == Phase.END) {
                words[i] = status.word();
                sinceNs[i] = nowNs;
                continue;
            }
            // a wait that was given more time than others may take it
            if (nowNs - sinceNs[i] > limitNs && (status.deadlineNs() == 0 || nowNs - status.deadlineNs() > limitNs / 2)) {
                return new Stuck(firstRank + i, status, nowNs - sinceNs[i]);
            }
        }
        return null;
    }
}
