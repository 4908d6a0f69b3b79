package org.pgas4j.space.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.RankCounters;

/** Number and time of one rank's long waits in barriers, by the rank that came last. Written by the rank's thread; any reads. */
public final class LateRanks {

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final Map<Integer, long[]> waits = new ConcurrentHashMap<>();

    LateRanks() {
    }

    /** Counts a wait for {@code rank}, which came last. */
    void count(int rank, long ns) {
        long[] words = waits.computeIfAbsent(rank, _ -> new long[2]);
        words[0]++;
        words[1] += ns;
    }

    /** All that was counted, by rank. Any thread. */
    public List<RankCounters.Late> look() {
        return waits.entrySet().stream().sorted(Map.Entry.comparingByKey()).map(each -> new RankCounters.Late(each.getKey(),
                (long) WORD.getOpaque(each.getValue(), 0), (long) WORD.getOpaque(each.getValue(), 1))).toList();
    }
}
