package org.pgas4j.bench.study;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.pgas4j.HelperStats;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.lab.LabTime;
import org.pgas4j.bench.lab.RequestParts;
import org.pgas4j.bench.lab.WorkTimes;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Points of an experiment on helper threads that share a launch: rank 1 owns the memory and does what the point says, all others
 * request meanwhile, each its own part of the memory, or all the same word by atomic operations. A point's row has both sides: the
 * requesters' times and rates; how much longer the owner's turns take, and processor time of helpers. All data that arrives is
 * checked.
 */
public final class LabStudy extends Study {

    /** Rank whose memory all others request. */
    static final int OWNER = 1;

    /** Begin of a line that names a point which this machine cannot run. */
    public static final String NOT_HERE = "lab: not here: ";
    /** Between the point of such a line and the reason. */
    public static final String SKIP_REASON = "; ";

    private static final double NS_PER_US = 1e3;
    private static final List<String> OWNERS = Stream.of(List.of(LabReport.TURN_ALONE, "turn_us", LabReport.WORK_SLOW_DOWN,
            "helpers_cpu_share"), WorkTimes.keys(LabReport.WORK_ALONE), WorkTimes.keys(LabReport.WORK)).flatMap(List::stream).toList();

    private final int samples;
    private final SplittableRandom random;
    private final int requesters;
    private final int slot; // number of this requester

    /**
     * Study of some points.
     *
     * @param samples that a point has at most
     */
    public LabStudy(Rank rank, StudyOptions options, int samples, Consumer<Row> out) {
        super(rank, options, out);
        this.samples = samples;
        this.random = new SplittableRandom(options.measuring().seed() + ((long) rank.rank() << Integer.SIZE));
        this.requesters = rank.ranks() - 1;
        this.slot = first ? 0 : rank.rank() - 1;
    }

    /** Bytes of shared heap of either kind that points need. */
    public static long heapBytes(List<LabPoint> points) {
        long bytes = points.stream().mapToLong(point -> (long) point.number(LabPoint.BYTES) * point.requesters()).max().orElse(0);
        return 4 * bytes + (1 << 20);
    }

    /**
     * Collective: measures points one after the other, behind a rehearsal of all of them: without it the first points of a launch have
     * twice the times of the last. One that needs a resident block which a rank has not is named with the reason, and left out.
     *
     * @param seconds that each may measure
     */
    public void run(List<LabPoint> points, List<Double> seconds) {
        StopFlags flags = new StopFlags(rank, OWNER, requesters, slot);
        double rehearsal = LabTime.rehearsal(seconds) / points.size();
        for (LabPoint point : points) {
            with(point, rehearsal, flags, (side, _, _) -> side.rehearse(rehearsal));
        }
        for (int i = 0; i < points.size(); i++) {
            LabPoint point = points.get(i);
            with(point, seconds.get(i), flags, (side, data, gets) -> {
                if (haveBlocks(point, data.there())) {
                    side.run();
                    emit(point, side, data.there(), data.wrong(side.added, gets));
                }
            });
        }
        rank.barrier();
        flags.free();
    }

    /** What a rank does with its side of a point; the thread of its own that serves the point may be null. */
    @FunctionalInterface
    private interface Use {
        void use(LabSide side, LabData data, OwnThreadGets gets);
    }

    private void with(LabPoint point, double seconds, StopFlags flags, Use use) {
        LabData data = new LabData(rank, point, OWNER, slot);
        OwnThreadGets gets = data.ownThread(point, gpu);
        use.use(rank.rank() == OWNER ? new LabOwner(rank, point, flags, seconds, gpu)
                : new LabRequester(rank, point, data, flags, gets, seconds, samples, random), data, gets);
        rank.barrier();
        if (gets != null) {
            gets.close();
        }
        data.free();
    }

    /** Collective: false for a point of the resident block where a rank has none; the first that has none says why. */
    private boolean haveBlocks(LabPoint point, SharedPointer there) {
        boolean has = !point.text(LabPoint.HELPER).equals(LabPoint.RESIDENT) || route(point, there).equals(LabPoint.RESIDENT);
        long without = rank.allReduce(has ? rank.ranks() : (long) rank.rank(), ReduceOp.MIN);
        if (without == rank.rank()) {
            System.out.println(NOT_HERE + point + SKIP_REASON + "rank " + rank.rank() + " has no resident block; "
                    + rank.diagnostics().explain(MemoryKind.HOST, there, (long) point.number(LabPoint.BYTES)));
        }
        return without == rank.ranks();
    }

    private String route(LabPoint point, SharedPointer there) {
        boolean host = point.text(LabPoint.HELPER).equals(LabPoint.RESIDENT) || point.text(LabPoint.LOCAL).equals(LabPoint.HOST);
        return rank.diagnostics().route(host ? MemoryKind.HOST : MemoryKind.DEVICE, there, (long) point.number(LabPoint.BYTES));
    }

    /** Collective. */
    private void emit(LabPoint point, LabSide side, SharedPointer there, long wrong) {
        Map<String, Object> of = new LinkedHashMap<>(side.found);
        of.put("warm_up_settled", rank.allReduce(side.settled ? 1L : 0L, ReduceOp.MIN));
        of.put(LabPoint.REQUESTERS, (long) requesters);
        RequesterTotals totals = RequesterTotals.gather(rank, side.times, side.requests, side.elapsedNs);
        for (String key : OWNERS) {
            double value = side.found.get(key) instanceof Double own ? own : Double.NaN;
            of.put(key, Double.longBitsToDouble(rank.collectives().broadcast(Double.doubleToRawLongBits(value), OWNER)));
        }
        HelperStats stats = rank.diagnostics().helperStats();
        of.put("helper_requests", rank.collectives().broadcast(stats.requests(), OWNER));
        HelperStats.Phase[] phases = {stats.queueWait(), stats.wakeUp(), stats.copy(), stats.completion()};
        for (int i = 0; i < phases.length; i++) {
            double us = rank.collectives().broadcast(phases[i].p50Ns(), OWNER) / NS_PER_US;
            of.putIfAbsent(RequestParts.PARTS.get(i) + "_p50_us", us);
        }
        if (point.text(LabPoint.HELPER).equals(LabPoint.RESIDENT)) {
            long all = rank.allReduce(side.requests, ReduceOp.SUM);
            of.put(LabReport.BY_BLOCK, 100.0 * rank.allReduce(side.byBlock, ReduceOp.SUM) / all);
        }
        if (!first) {
            return;
        }
        of.putAll(totals.columns());
        of.put("slow_down", (double) of.get("turn_us") / (double) of.get(LabReport.TURN_ALONE));
        long bytes = (long) point.number(LabPoint.BYTES);
        boolean gets = point.text(LabPoint.OPERATION).equals("get");
        String local = point.text(LabPoint.LOCAL);
        Row row = options.label(new Row("lab", point.text(LabPoint.OPERATION), gets ? LabPoint.DEVICE : local, gets ? local : LabPoint.DEVICE,
                route(point, there), rank.processes(), bytes,
                SampleTimes.of(totals.times(), 1), Double.NaN, wrong, Map.of()), point.text(LabPoint.HELPER).equals(LabPoint.OWN)
                ? "own thread" : "runtime").with(Row.HELPER, point.text(LabPoint.HELPER)).with(Row.SETTING, point.settings())
                .with(LabPoint.OWNER, point.text(LabPoint.OWNER)).with(Row.KERNEL_MS, point.number(LabPoint.KERNEL_MS))
                .with(LabPoint.ARRIVALS, point.text(LabPoint.ARRIVALS)).with(LabPoint.LOAD, point.number(LabPoint.LOAD))
                .with(LabPoint.INJECT, point.text(LabPoint.INJECT)).with(Row.POINT, point.toString());
        for (Map.Entry<String, Object> entry : of.entrySet()) {
            row = row.with(entry.getKey(), entry.getValue());
        }
        add(row);
    }
}
