package org.pgas4j.helper;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.pgas4j.HelperStats;
import org.pgas4j.fastpath.protocol.Observer;

/** Where the time of requests goes that helpers serve for one rank. Recorded by helpers, read by the rank. */
final class ServiceTimes implements Observer {

    private static final long HIGHEST_NS = 3_600_000_000_000L;
    private static final int DIGITS = 3;

    private final Recorder queueWait = new Recorder(HIGHEST_NS, DIGITS);
    private final Recorder wakeUp = new Recorder(HIGHEST_NS, DIGITS);
    private final Recorder copy = new Recorder(HIGHEST_NS, DIGITS);
    private final Recorder completion = new Recorder(HIGHEST_NS, DIGITS);

    @Override
    public void served(long sentNs, long seenNs, long startNs, long copiedNs, long doneNs) {
        record(queueWait, seenNs - sentNs);
        record(wakeUp, startNs - seenNs);
        record(copy, copiedNs - startNs);
        record(completion, doneNs - copiedNs);
    }

    private static void record(Recorder into, long ns) {
        into.recordValue(Math.clamp(ns, 0, HIGHEST_NS));
    }

    /** What was recorded since the last call. */
    HelperStats take() {
        return new HelperStats(phase(queueWait), phase(wakeUp), phase(copy), phase(completion));
    }

    private static HelperStats.Phase phase(Recorder recorder) {
        Histogram seen = recorder.getIntervalHistogram();
        return seen.getTotalCount() == 0 ? new HelperStats.Phase(0, 0, 0, 0, 0)
                : new HelperStats.Phase(seen.getTotalCount(), seen.getValueAtPercentile(50), seen.getValueAtPercentile(99),
                        seen.getValueAtPercentile(99.9), seen.getMaxValue());
    }
}
