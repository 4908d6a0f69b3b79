package org.pgas4j.runtime;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCountersMXBean;

/** The counters of one rank as sums. Thread-safe. */
final class CountersBean implements RankCountersMXBean {

    private final RankCounts counts;
    CountersBean(RankCounts counts) {
        this.counts = counts;
    }

    @Override
    public int getRank() {
        return counts.look().rank();
    }

    @Override
    public long getTimeNs() {
        return counts.look().timeNs();
    }

    @Override
    public long getCalls() {
        return counts.look().calls();
    }

    @Override
    public long getBytes() {
        return counts.look().bytes();
    }

    @Override
    public long getWaitNs() {
        return counts.look().waitNs();
    }

    private static <T, K> Map<K, Long> sums(List<T> lines, Function<T, K> key, ToLongFunction<T> value) {
        Map<K, Long> sums = new TreeMap<>();
        lines.forEach(line -> sums.merge(key.apply(line), value.applyAsLong(line), Long::sum));
        return sums;
    }

    @Override
    public Map<String, Long> getBytesByRoute() {
        return sums(counts.look().traffic(), RankCounters.Traffic::route, RankCounters.Traffic::bytes);
    }

    @Override
    public Map<Integer, Long> getBytesByPeer() {
        return sums(counts.look().traffic(), RankCounters.Traffic::peer, RankCounters.Traffic::bytes);
    }

    @Override
    public Map<String, Long> getWaitNsByOperation() {
        return sums(counts.look().waits(), RankCounters.Waits::operation, RankCounters.Waits::waitNs);
    }

    @Override
    public Map<Integer, Long> getLateNsByRank() {
        return sums(counts.look().late(), RankCounters.Late::rank, RankCounters.Late::waitNs);
    }
}
