package org.pgas4j;

/**
 * Work of helper threads for one rank. Times are in nanoseconds and follow a request from its sending to its end:
 * waiting to be seen, waiting to be served, the copy, and the answer.
 *
 * @param queueWait  from the sender's clock at sending to the first look that saw it; empty between hosts, whose clocks
 *                   differ
 * @param wakeUp     from that look to the start of the copy: the helper's own delay, taking the endpoint included
 * @param copy       start of the copy to its end on the device
 * @param completion end of the copy until the answer or the credit was written
 */
public record HelperStats(Phase queueWait, Phase wakeUp, Phase copy, Phase completion) {

    /**
     * Percentiles of one phase; zeros where nothing was counted.
     *
     * @param count requests
     */
    public record Phase(long count, long p50Ns, long p99Ns, long p999Ns, long maxNs) {
    }

    /** Requests served. */
    public long requests() {
        return copy.count();
    }
}
