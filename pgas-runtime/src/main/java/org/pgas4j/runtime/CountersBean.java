package org.pgas4j.runtime;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.pgas4j.PgasException;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCountersMXBean;

/** The counters of one rank on the platform's MBean server, from its making until it is closed. Thread-safe. */
final class CountersBean implements RankCountersMXBean, AutoCloseable {

    private final RankCounts counts;
    private final ObjectName name;

    /**
     * Registers the counters.
     *
     * @param run number of the run in this JVM
     */
    CountersBean(int run, int rank, RankCounts counts) {
        this.counts = counts;
        try {
            name = new ObjectName("org.pgas4j:type=RankCounters,run=" + run + ",rank=" + rank);
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, name);
        } catch (JMException e) {
            throw new PgasException("the counters of rank " + rank + " of run " + run + " cannot be registered: "
                    + e.getMessage(), e);
        }
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

    /** Removes the counters from the server; has no effect if they are gone. */
    @Override
    public void close() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            System.getLogger("pgas.runtime").log(System.Logger.Level.DEBUG, () -> name + " was removed by somebody else", e);
        } catch (JMException e) {
            throw new PgasException(name + " cannot be removed: " + e.getMessage(), e);
        }
    }
}
