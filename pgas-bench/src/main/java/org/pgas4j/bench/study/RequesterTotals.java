package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Times and rates of all requesters of a point, brought together on rank 0. Each rank sends one run of bytes:
 * 0 requests:i64 | 8 elapsedNs:i64 | 16 length:i64 | 24 histogram.
 */
final class RequesterTotals {

    private static final long REQUESTS = 0;
    private static final long ELAPSED = 8;
    private static final long LENGTH = 16;
    private static final long DATA = 24;
    private static final double NS_PER_S = 1e9;

    private final Histogram times = SampleTimes.histogram();
    private final double[] perSecond;
    private final double[] mediansUs;

    private RequesterTotals(int requesters) {
        perSecond = new double[requesters];
        mediansUs = new double[requesters];
    }

    /**
     * Collective: what all requesters measured; empty but on rank 0.
     *
     * @param times     of the calling rank's requests; without any on the owner
     * @param requests  of the calling rank, in the time given, those that are not in {@code times} too; 0 on the owner
     * @param elapsedNs from the common begin to the end of its last
     */
    static RequesterTotals gather(Rank rank, Histogram times, long requests, long elapsedNs) {
        byte[] histogram = HistogramLog.encode(times).getBytes(StandardCharsets.US_ASCII);
        long bytes = Math.ceilDiv(rank.allReduce(DATA + histogram.length, ReduceOp.MAX), (long) Long.BYTES) * Long.BYTES;
        RequesterTotals totals = new RequesterTotals(rank.rank() == 0 ? rank.ranks() - 1 : 0);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(bytes, Long.BYTES);
            own.set(ValueLayout.JAVA_LONG, REQUESTS, requests);
            own.set(ValueLayout.JAVA_LONG, ELAPSED, elapsedNs);
            own.set(ValueLayout.JAVA_LONG, LENGTH, histogram.length);
            MemorySegment.copy(histogram, 0, own, ValueLayout.JAVA_BYTE, DATA, histogram.length);
            MemorySegment all = rank.rank() == 0 ? arena.allocate(bytes * rank.ranks(), Long.BYTES) : null;
            rank.collectives().gather(all == null ? null : Buffer.ofHost(all, ElementType.BYTE), Buffer.ofHost(own, ElementType.BYTE), 0);
            for (int requester = 0; requester < totals.perSecond.length; requester++) {
                int its = requester == 0 ? 0 : requester + 1; // rank 1 owns
                totals.add(requester, all.asSlice(its * bytes, bytes));
            }
        }
        return totals;
    }

    private void add(int requester, MemorySegment from) {
        byte[] text = from.asSlice(DATA, from.get(ValueLayout.JAVA_LONG, LENGTH)).toArray(ValueLayout.JAVA_BYTE);
        Histogram its = HistogramLog.decode(new String(text, StandardCharsets.US_ASCII));
        times.add(its);
        mediansUs[requester] = SampleTimes.median(its);
        perSecond[requester] = from.get(ValueLayout.JAVA_LONG, REQUESTS) * NS_PER_S / from.get(ValueLayout.JAVA_LONG, ELAPSED);
    }

    /** Times of all requesters. */
    Histogram times() {
        return times;
    }

    /** Columns of a row: the rate of all; of several requesters the slowest and the fastest too. */
    Map<String, Object> columns() {
        Map<String, Object> columns = new LinkedHashMap<>();
        columns.put(LabReport.PER_SECOND, Arrays.stream(perSecond).sum());
        if (perSecond.length > 1) {
            double slowest = Arrays.stream(perSecond).min().orElseThrow();
            double fastest = Arrays.stream(perSecond).max().orElseThrow();
            columns.put("requester_min_per_s", slowest);
            columns.put("requester_max_per_s", fastest);
            columns.put(LabReport.FAIRNESS, slowest / fastest);
            columns.put(LabReport.LOWEST_US, Arrays.stream(mediansUs).min().orElseThrow());
            columns.put(LabReport.HIGHEST_US, Arrays.stream(mediansUs).max().orElseThrow());
        }
        return columns;
    }
}
