package org.pgas4j.bench.lab;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Goals of helper threads and the points that show whether they are met: a ratio, its interval, and the range in which it must be. A
 * goal is met if the whole interval is in the range, missed if none of it is, else unclear. The interval is that of all samples,
 * {@linkplain Ratio#widened wider} if launches differ.
 */
public final class LabGoals {

    /** Times the median beside an idle owner at the same moments, which a get of 8 KiB may take beside kernels. */
    public static final double BESIDE_IDLE = 1.1;
    /** Share by which a put that begins with a kernel may differ from the longer of both. */
    public static final double OVERLAP = 0.1;
    /** Times the time without requests, which products may take beside them. */
    public static final double SLOW_DOWN = 1.02;

    private static final String GET_BYTES = "8192";

    /**
     * A point, and what was found.
     *
     * @param goal     in words
     * @param n        samples of the ratio's first value
     * @param others   samples of its second
     * @param launches in which both were measured
     * @param least    that the ratio may be
     * @param most     that the ratio may be
     */
    record Line(String goal, LabPoint point, long n, long others, int launches, Ratio found, double least, double most) {

        String verdict() {
            if (found.low() >= least && found.high() <= most) {
                return "met";
            }
            return found.low() > most || found.high() < least ? "missed" : "unclear";
        }
    }

    private final Map<LabPoint, List<Row>> points;
    private final List<Line> lines = new ArrayList<>();

    /** Goals of rows that have all samples. */
    public LabGoals(List<Row> rows) {
        points = LabPredictions.byPoint(rows);
        List<LabPoint> sorted = points.keySet().stream().filter(point -> point.requesters() == 1).sorted(Comparator
                .comparing((LabPoint point) -> point.text(LabPoint.OPERATION)).thenComparing(point -> point.text(LabPoint.HELPER))
                .thenComparingDouble(point -> point.number(LabPoint.BYTES)).thenComparingLong(LabPoint::kernelNs)
                .thenComparing(LabPoint::toString)).toList();
        sorted.forEach(this::besideIdle);
        sorted.forEach(this::overlap);
        sorted.forEach(this::slowDown);
    }

    /** All, in the order of goals. */
    List<Line> lines() {
        return List.copyOf(lines);
    }

    private void besideIdle(LabPoint point) {
        LabPoint idle = point.with(LabPoint.OWNER, "idle");
        if (point.text(LabPoint.OPERATION).equals("get") && point.text(LabPoint.BYTES).equals(GET_BYTES)
                && point.text(LabPoint.HELPER).equals("on") && isGpuWork(point) && !idle.equals(point)
                && point.text(LabPoint.ARRIVALS).equals("closed") && points.containsKey(idle)) {
            lines.add(new Line("get of 8 KiB, helper on: at most 1.1 x beside an idle owner at the same moments", point, count(point),
                    count(idle), common(point, idle), besideIdle(points.get(point), points.get(idle)), 0, BESIDE_IDLE));
        }
    }

    /** Kernels; the goal is not about Java code, which takes the processors. */
    private static boolean isGpuWork(LabPoint point) {
        return !List.of("java", "collect").contains(point.text(LabPoint.OWNER));
    }

    /** Ratio of the medians of the rows of two points, the launches of both that belong together compared too. */
    static Ratio besideIdle(List<Row> rows, List<Row> others) {
        return Ratio.ofMedians(times(rows), times(others)).widened(byLaunch(rows, others, (row, other) ->
                Ratio.ofMedians(HistogramLog.of(row), HistogramLog.of(other))));
    }

    private interface OfLaunch {

        Ratio ratio(Row row, Row other);
    }

    private static List<Ratio> byLaunch(List<Row> rows, List<Row> others, OfLaunch of) {
        Map<Double, Row> byRepeat = others.stream().collect(Collectors.toMap(row -> row.number(Row.REPEAT), row -> row, (one, _) -> one,
                TreeMap::new));
        return rows.stream().filter(row -> byRepeat.containsKey(row.number(Row.REPEAT)))
                .map(row -> of.ratio(row, byRepeat.get(row.number(Row.REPEAT)))).filter(ratio -> Double.isFinite(ratio.ratio())).toList();
    }

    /** Put and kernel together: the longer of what each takes alone with a helper, the sum of both without. */
    private void overlap(LabPoint point) {
        if (!point.text(LabPoint.OPERATION).equals("overlap")) {
            return;
        }
        LabPoint put = point.with(LabPoint.OPERATION, "put").with(LabPoint.OWNER, "idle").with(LabPoint.KERNEL_MS, "0");
        if (!points.containsKey(put)) {
            return;
        }
        boolean off = point.text(LabPoint.HELPER).equals("off");
        Ratio ratio = together(points.get(point), points.get(put), off);
        if (Double.isFinite(ratio.ratio())) {
            lines.add(new Line(off ? "memput beside a kernel, no helper: T_cal + T_cpy within 10 %"
                    : "memput beside a kernel, helper " + point.text(LabPoint.HELPER) + ": max(T_cal, T_cpy) within 10 %", point,
                    count(point), count(put), common(point, put), ratio.widened(byLaunch(points.get(point), points.get(put),
                            (row, other) -> together(List.of(row), List.of(other), off))), 1 - OVERLAP, 1 + OVERLAP));
        }
    }

    /** Time of put and kernel together, by what both take alone. */
    private static Ratio together(List<Row> both, List<Row> puts, boolean off) {
        double kernelUs = both.stream().mapToDouble(row -> row.number(LabReport.TURN_ALONE)).average().orElseThrow();
        double putUs = SampleTimes.median(times(puts));
        return !off && putUs > kernelUs ? Ratio.ofMedians(times(both), times(puts))
                : Ratio.ofMedian(times(both), off ? kernelUs + putUs : kernelUs);
    }

    private void slowDown(LabPoint point) {
        if (!point.text(LabPoint.OWNER).equals("gemm")) {
            return;
        }
        List<Row> rows = points.get(point);
        List<Ratio> ratios = rows.stream().map(row -> Ratio.ofMeans(row, LabReport.WORK, LabReport.WORK_ALONE))
                .filter(ratio -> Double.isFinite(ratio.ratio())).toList();
        if (ratios.isEmpty()) {
            return;
        }
        Ratio found = Ratio.mean(ratios).widened(ratios);
        lines.add(new Line("products beside requests, helper " + point.text(LabPoint.HELPER) + ": at most 1.02 x without requests", point,
                sum(rows, WorkTimes.turns(LabReport.WORK)), sum(rows, WorkTimes.turns(LabReport.WORK_ALONE)), ratios.size(), found, 0,
                SLOW_DOWN));
    }

    private static long sum(List<Row> rows, String key) {
        return Math.round(rows.stream().mapToDouble(row -> row.number(key)).filter(Double::isFinite).sum());
    }

    private long count(LabPoint point) {
        return points.get(point).stream().mapToLong(row -> row.times().samples()).sum();
    }

    private int common(LabPoint point, LabPoint other) {
        return (int) points.get(point).stream().filter(row -> points.get(other).stream()
                .anyMatch(one -> Objects.equals(one.number(Row.REPEAT), row.number(Row.REPEAT)))).count();
    }

    private static Histogram times(List<Row> rows) {
        return HistogramLog.merged(rows.stream().map(HistogramLog::of).toList());
    }

    /** Table of all; empty without any. */
    String markdown() {
        if (lines.isEmpty()) {
            return "";
        }
        StringBuilder table = new StringBuilder("| goal | point | n | n of the other | launches | ratio | interval | |\n"
                + "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
        for (Line line : lines) {
            table.append(String.format(Locale.ROOT, "| %s | %s | %d | %d | %d | %.3f | %.3f to %.3f | %s |%n", line.goal,
                    LabReport.brief(line.point), line.n, line.others, line.launches, line.found.ratio(), line.found.low(),
                    line.found.high(), line.verdict()));
        }
        return table.toString();
    }
}
