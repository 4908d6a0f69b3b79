package org.pgas4j;

import java.util.Map;

/**
 * A rank's {@link RankCounters} for tools that read the platform's MBean server, as sums. {@link Diagnostics#publish}
 * registers it as {@code org.pgas4j:type=RankCounters,run=RUN,rank=RANK}. Every attribute is read anew. Thread-safe.
 */
public interface RankCountersMXBean {

    /** Number of the rank. */
    int getRank();

    /** Time since the rank's program started, in nanoseconds. */
    long getTimeNs();

    /** Number of transfers. */
    long getCalls();

    /** Bytes of all transfers. */
    long getBytes();

    /** Time of all long waits, in nanoseconds. */
    long getWaitNs();

    /** Bytes by name of the route. */
    Map<String, Long> getBytesByRoute();

    /** Bytes by rank whose memory was used. */
    Map<Integer, Long> getBytesByPeer();

    /** Time of long waits by kind of operation, in nanoseconds. */
    Map<String, Long> getWaitNsByOperation();

    /** Time of waits in barriers by the rank that came last, in nanoseconds. */
    Map<Integer, Long> getLateNsByRank();
}
