package org.pgas4j.helper;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.pgas4j.HelperStats;
import org.pgas4j.fastpath.protocol.Observer;

/**
 * Times of the requests that helpers serve for one rank. Recorded by helpers, read by the rank. A recorder has some
 * hundred KiB: there are none before something is recorded.
 */
final class ServiceTimes implements Observer {

    private static final long HIGHEST_NS = 3_600_000_000_000L;
    private static final int DIGITS = 3;

    private static final HelperStats.Phase NOTHING = new HelperStats.Phase(0, 0, 0, 0, 0);

    private record Recorders(Recorder queueWait, Recorder wakeUp, Recorder copy, Recorder completion) {
    }

    private final int rank;
    private volatile Recorders recorders;

    /** @param rank that is served */
    ServiceTimes(int rank) {
        this.rank = rank;
    }

    @Override
    public void served(long sentNs, long seenNs, long startNs, long copiedNs, long doneNs) {
        Recorders into = recorders;
        if (into == null) {
            into = make();
        }
        record(into.queueWait, seenNs - sentNs);
        record(into.wakeUp, startNs - seenNs);
        record(into.copy, copiedNs - startNs);
        record(into.completion, doneNs - copiedNs);
        if (ServiceEvent.isOn()) {
            ServiceEvent.record(rank, seenNs - sentNs, startNs - seenNs, copiedNs - startNs, doneNs - copiedNs);
        }
    }

    private synchronized Recorders make() {
        if (recorders == null) {
            recorders = new Recorders(new Recorder(HIGHEST_NS, DIGITS), new Recorder(HIGHEST_NS, DIGITS),
                    new Recorder(HIGHEST_NS, DIGITS), new Recorder(HIGHEST_NS, DIGITS));
        }
        return recorders;
    }

    private static void record(Recorder into, long ns) {
        into.recordValue(Math.clamp(ns, 0, HIGHEST_NS));
    }

    /** Statistics of the times recorded since the last call. */
    HelperStats take() {
        Recorders from = recorders;
        return from == null ? new HelperStats(NOTHING, NOTHING, NOTHING, NOTHING)
                : new HelperStats(phase(from.queueWait), phase(from.wakeUp), phase(from.copy), phase(from.completion));
    }

    private static HelperStats.Phase phase(Recorder recorder) {
        Histogram seen = recorder.getIntervalHistogram();
        return seen.getTotalCount() == 0 ? NOTHING
                : new HelperStats.Phase(seen.getTotalCount(), seen.getValueAtPercentile(50), seen.getValueAtPercentile(99),
                        seen.getValueAtPercentile(99.9), seen.getMaxValue());
    }
}
