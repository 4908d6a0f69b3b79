package org.pgas4j.bench.lab;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * The points of an experiment, samples of repeats merged, each beside {@linkplain LabPredictions what the model predicts}; points beside an owner that computes by those beside an idle one at
 * the same moments; and delays that were put into requests beside where they came back.
 */
public final class LabReport {

    /** Behind the names of the parts of requests. */
    static final String MEDIAN = "_p50_us";

    /** Rate of all requesters, and names of further numbers of a row that has several. */
    public static final String PER_SECOND = "requests_per_s";
    /** Rate of the slowest requester by that of the fastest. */
    public static final String FAIRNESS = "fairness";
    /** Time of a unit of the owner's work with requests, by that without. */
    public static final String WORK_SLOW_DOWN = "work_slow_down";
    /** Percent of the requests that resident blocks have carried out. */
    public static final String BY_BLOCK = "by_block_percent";
    /** Median of the requester with the lowest. */
    public static final String LOWEST_US = "requester_p50_min_us";
    /** Median of the requester with the highest. */
    public static final String HIGHEST_US = "requester_p50_max_us";

    /** Before the names of the parts of requests without a delay, of a point where others have one. */
    public static final String UNDELAYED = "undelayed_";

    private record Line(LabPoint point, List<Row> rows, Histogram all, QueueModel.Prediction predicted) {

        double predictedUs() {
            return predicted.medianUs();
        }

        double medianUs() {
            return SampleTimes.median(all);
        }

        boolean isRight() {
            return LabPredictions.isRight(predictedUs(), medianUs());
        }

        double mean(String key) {
            return LabReport.mean(rows, key);
        }
    }

    private final List<Line> lines = new ArrayList<>();
    private final Map<LabPoint, Line> byPoint = new LinkedHashMap<>();

    /** Report of rows that have all samples. */
    public LabReport(List<Row> rows) {
        Map<LabPoint, List<Row>> points = LabPredictions.byPoint(rows);
        LabPredictions predictions = new LabPredictions(rows);
        points.keySet().stream().sorted(Comparator.comparing(LabPoint::toString)).forEach(point -> {
            Histogram all = HistogramLog.merged(points.get(point).stream().map(HistogramLog::of).toList());
            Line line = new Line(point, points.get(point), all, predictions.of(point));
            lines.add(line);
            byPoint.put(point, line);
        });
    }

    private static double mean(List<Row> rows, String key) {
        return rows.stream().mapToDouble(row -> row.number(key)).average().orElse(Double.NaN);
    }

    private List<Line> predicted() {
        return lines.stream().filter(line -> !Double.isNaN(line.predictedUs())).toList();
    }

    /** How many predictions are right. */
    public String summary() {
        return lines.size() + " points, " + predicted().stream().filter(Line::isRight).count() + " of " + predicted().size()
                + " predictions within " + Math.round(100 * LabPredictions.TOLERANCE) + " %";
    }

    /** All of it as a page. */
    public String markdown() {
        StringBuilder page = new StringBuilder("# Experiment\n\n" + summary() + ".\n\n| point | n | p50 us | predicted us | p99 us"
                + " | slow-down | helpers' CPU | by block % | L / (lambda W) |\n"
                + "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        for (Line line : lines) {
            page.append(String.format(Locale.ROOT, "| %s | %d | %.3f | %s | %s | %s | %s | %s | %s |%n", line.point,
                    line.all.getTotalCount(), line.medianUs(), number(line.predictedUs()), number(SampleTimes.of(line.all, 1).p99()),
                    number(line.mean(WORK_SLOW_DOWN)), number(line.mean("helpers_cpu_share")), number(line.mean(BY_BLOCK)),
                    number(1 / line.mean("little_ratio"))));
        }
        besideIdle(page);
        requesters(page);
        delays(page);
        return page.toString();
    }

    /** Closed loops beside an owner that computes, by those beside an idle one at the same moments. */
    private void besideIdle(StringBuilder page) {
        StringBuilder table = new StringBuilder();
        for (Line line : lines) {
            LabPoint idle = line.point.with(LabPoint.OWNER, "idle");
            if (!idle.equals(line.point) && byPoint.containsKey(idle) && line.point.text(LabPoint.ARRIVALS).equals("closed")
                    && !line.point.text(LabPoint.OPERATION).equals("overlap")) {
                MedianRatio ratio = MedianRatio.of(line.all, byPoint.get(idle).all);
                table.append(String.format(Locale.ROOT, "| %s | %.3f | %.3f | %.2f | %.2f to %.2f |%n", line.point, line.medianUs(),
                        byPoint.get(idle).medianUs(), ratio.ratio(), ratio.low(), ratio.high()));
            }
        }
        if (!table.isEmpty()) {
            page.append("\nBeside an idle owner at the same moments, with the interval of 95 % of the ratio of medians:\n\n"
                    + "| point | p50 us | idle, p50 us | ratio | interval |\n| --- | --- | --- | --- | --- |\n").append(table);
        }
    }

    private void requesters(StringBuilder page) {
        List<Line> several = lines.stream().filter(line -> line.point.requesters() > 1).toList();
        if (several.isEmpty()) {
            return;
        }
        page.append("\nSeveral requesters: requests a second of all of them; the rate of the slowest by that of the fastest; the lowest"
                + " and the highest median of one; the time until a request is seen.\n\n| point | per second | predicted"
                + " | slowest / fastest | p50 us, lowest | p50 us, highest | queue us |\n"
                + "| --- | --- | --- | --- | --- | --- | --- |\n");
        for (Line line : several) {
            page.append(String.format(Locale.ROOT, "| %s | %.0f | %s | %s | %s | %s | %s |%n", line.point, line.mean(PER_SECOND),
                    Double.isNaN(line.predictedUs()) ? "-" : String.format(Locale.ROOT, "%.0f", line.predicted.perSecond()),
                    number(line.mean(FAIRNESS)), number(line.mean(LOWEST_US)), number(line.mean(HIGHEST_US)),
                    number(line.mean(RequestParts.QUEUE_WAIT + MEDIAN))));
        }
    }

    private void delays(StringBuilder page) {
        List<Line> delayed = lines.stream().filter(line -> !Double.isNaN(line.mean(UNDELAYED + RequestParts.COPY + MEDIAN))).toList();
        if (delayed.isEmpty()) {
            return;
        }
        page.append("\nDelays that were put into a part of one request of four, and the part that is longer by them within 1 %"
                + " or 50 ns than in the others:\n\n| put into | us | found in | that part is longer by us |\n| --- | --- | --- | --- |\n");
        for (Line line : delayed) {
            String part = line.point.text(LabPoint.INJECT).split(":")[0];
            Map<String, Double> with = partsNs(line, "");
            Map<String, Double> without = partsNs(line, UNDELAYED);
            double delayUs = line.mean("injected_p50_us");
            String found = RequestParts.foundIn(without, with, delayUs * 1e3);
            page.append(String.format(Locale.ROOT, "| %s | %.3f | %s | %.3f |%n", part, delayUs, found.isEmpty() ? "-" : found,
                    (with.get(part) - without.get(part)) / 1e3));
        }
    }

    private static Map<String, Double> partsNs(Line line, String prefix) {
        Map<String, Double> parts = new LinkedHashMap<>();
        RequestParts.PARTS.forEach(part -> parts.put(part, line.mean(prefix + part + MEDIAN) * 1e3));
        return parts;
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
    }
}
