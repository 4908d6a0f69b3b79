package org.pgas4j.bench.lab;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * The points of an experiment, samples of repeats merged: {@linkplain LabGoals goals}, helpers side by side, each point beside
 * {@linkplain LabPredictions what the model predicts}, points beside an owner that computes by those beside an idle one at the same
 * moments, delays that were put into requests beside where they came back, and points that could not be measured.
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
    /** Mean of the owner's turns without requests, before them and after them, microseconds. */
    public static final String TURN_ALONE = "turn_alone_us";
    /** {@link WorkTimes} without requests. */
    public static final String WORK_ALONE = "work_alone";
    /** {@link WorkTimes} with requests. */
    public static final String WORK = "work";
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

    private static final int WORST = 20;
    private static final int MIN_PROCESSORS = 4; // of two ranks, a helper and what else runs
    private static final List<String> HELPERS = List.of("off", "auto", "on", LabPoint.OWN, LabPoint.RESIDENT);

    private final List<Line> lines = new ArrayList<>();
    private final Map<LabPoint, Line> byPoint = new LinkedHashMap<>();
    private final LabGoals goals;
    private final List<Journal.Skip> skipped;

    /** Report of rows that have all samples. */
    public LabReport(List<Row> rows) {
        this(rows, List.of());
    }

    /**
     * Report of rows that have all samples.
     *
     * @param skipped points without
     */
    public LabReport(List<Row> rows, List<Journal.Skip> skipped) {
        this.skipped = skipped;
        this.goals = new LabGoals(rows);
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

    /** How many predictions are right, and how many goals are met. */
    public String summary() {
        List<Line> predicted = predicted();
        long right = predicted.stream().filter(Line::isRight).count();
        String share = predicted.isEmpty() ? "" : String.format(Locale.ROOT, " (%.0f %%)", 100.0 * right / predicted.size());
        String met = goals.lines().isEmpty() ? "" : ", " + goals.lines().stream().filter(line -> line.verdict().equals("met")).count()
                + " of " + goals.lines().size() + " goals met";
        return lines.size() + " points, " + right + " of " + predicted.size() + " predictions within "
                + Math.round(100 * LabPredictions.TOLERANCE) + " %" + share + met
                + (skipped.isEmpty() ? "" : ", " + skipped.size() + " left out");
    }

    /** A point in few words: without the values that axes have by themselves. */
    static String brief(LabPoint point) {
        StringBuilder text = new StringBuilder(point.text(LabPoint.OPERATION) + " " + point.text(LabPoint.BYTES) + " B, "
                + point.text(LabPoint.OWNER));
        if (point.number(LabPoint.KERNEL_MS) > 0) {
            text.append(' ').append(point.text(LabPoint.KERNEL_MS)).append(" ms");
        }
        text.append(", ").append(point.text(LabPoint.HELPER));
        for (String word : point.toString().split(" ")) {
            String[] axis = word.split("=", 2);
            if (!List.of(LabPoint.OPERATION, LabPoint.BYTES, LabPoint.OWNER, LabPoint.KERNEL_MS, LabPoint.HELPER).contains(axis[0])
                    && !axis[1].equals(LabPoint.AXES.get(axis[0]))) {
                text.append(", ").append(axis[0]).append(' ').append(axis[1]);
            }
        }
        return text.toString();
    }

    /** All of it as a page. */
    public String markdown() {
        StringBuilder page = new StringBuilder("# Experiment\n\n" + summary() + ".\n");
        if (!goals.lines().isEmpty()) {
            page.append("\n## Goals\n\nThe ratio is of medians, of products of means; its interval is that of all samples with 95 %,"
                    + " wider if launches differ. *met*: all of it is in the range; *missed*: none of it; *unclear*: some."
                    + " T_cal and T_cpy are the turns and the put alone, measured in the same run.\n\n").append(goals.markdown());
        }
        leftOut(page);
        sideBySide(page);
        model(page);
        page.append("\n## Points\n\n| point | n | p50 us | predicted us | p99 us | slow-down | helpers' CPU | by block % |"
                + " L / (lambda W) |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
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

    private void leftOut(StringBuilder page) {
        if (!skipped.isEmpty()) {
            page.append("\n## Left out\n\n| point | repeat | reason |\n| --- | --- | --- |\n");
            skipped.forEach(skip -> page.append(String.format("| %s | %d | %s |%n", brief(skip.point()), skip.repeat(),
                    skip.reason().replace("|", "/"))));
        }
    }

    /** Medians, and the owner's slow-down, of points that differ in who serves. */
    private void sideBySide(StringBuilder page) {
        Map<String, Map<String, Line>> table = new LinkedHashMap<>();
        lines.stream().filter(line -> line.point.text(LabPoint.ARRIVALS).equals("closed") && line.point.requesters() == 1
                && line.point.text(LabPoint.INJECT).equals("none")).sorted(Comparator.comparing((Line line) ->
                line.point.text(LabPoint.OPERATION)).thenComparingDouble(line -> line.point.number(LabPoint.BYTES))
                .thenComparing(line -> line.point.text(LabPoint.OWNER)).thenComparingDouble(line -> line.point.number(LabPoint.KERNEL_MS)))
                .forEach(line -> {
                    String helper = line.point.text(LabPoint.HELPER);
                    String key = brief(line.point).replace(", " + helper, "").replaceAll(", route (direct|resident)", "");
                    table.computeIfAbsent(key, _ -> new LinkedHashMap<>()).put(helper, line);
                });
        List<String> helpers = HELPERS.stream().filter(helper -> table.values().stream().anyMatch(row -> row.containsKey(helper))).toList();
        if (helpers.size() < 2) {
            return;
        }
        page.append("\n## Helpers side by side\n\nMedians in microseconds; in brackets the owner's time for a unit of work with"
                + " requests, by that without.\n\n| | ").append(String.join(" | ", helpers)).append(" |\n|")
                .append(" --- |".repeat(1 + helpers.size())).append('\n');
        table.forEach((key, row) -> {
            page.append("| ").append(key);
            helpers.forEach(helper -> page.append(" | ").append(row.containsKey(helper) ? cell(row.get(helper)) : "-"));
            page.append(" |\n");
        });
    }

    private static String cell(Line line) {
        double slowDown = line.mean(WORK_SLOW_DOWN);
        return String.format(Locale.ROOT, "%.1f", line.medianUs()) + (Double.isNaN(slowDown) ? ""
                : String.format(Locale.ROOT, " (%.3f)", slowDown));
    }

    /** Share of right predictions by helper, and the worst of those that are not. */
    private void model(StringBuilder page) {
        List<Line> predicted = predicted();
        if (predicted.isEmpty()) {
            return;
        }
        page.append("\n## The model\n\nPredicted from other points and from turns without requests; goal: all medians within 15 %.\n\n"
                + "| helper | within 15 % | of |\n| --- | --- | --- |\n");
        Map<String, List<Line>> byHelper = predicted.stream().collect(Collectors.groupingBy(line -> line.point.text(LabPoint.HELPER),
                LinkedHashMap::new, Collectors.toList()));
        byHelper.forEach((helper, its) -> page.append(share(helper, its)));
        page.append(share("all", predicted)).append(repeats()).append(crowded());
        List<Line> wrong = predicted.stream().filter(line -> !line.isRight()).sorted(Comparator.comparingDouble((Line line) ->
                -Math.abs(Math.log(line.predictedUs() / line.medianUs())))).toList();
        if (wrong.isEmpty()) {
            return;
        }
        page.append("\nThe ").append(wrong.size() > WORST ? WORST + " worst of " : "").append(wrong.size())
                .append(" that are not, with the interval of 95 % of the measured median:\n\n"
                        + "| point | n | p50 us | interval | predicted us | predicted / p50 |\n| --- | --- | --- | --- | --- | --- |\n");
        wrong.stream().limit(WORST).forEach(line -> {
            Ratio median = Ratio.ofMedian(line.all, 1);
            page.append(String.format(Locale.ROOT, "| %s | %d | %.3f | %.3f to %.3f | %.3f | %.2f |%n", brief(line.point),
                    line.all.getTotalCount(), line.medianUs(), median.low(), median.high(), line.predictedUs(),
                    line.predictedUs() / line.medianUs()));
        });
    }

    /** How well launches of the same point predict each other; nothing without repeats. */
    private String repeats() {
        List<Line> repeated = lines.stream().filter(line -> line.rows.size() > 1).toList();
        return repeated.isEmpty() ? "" : String.format(Locale.ROOT, "%nOf %d launches of repeated points %d have a median within %d %% of that"
                        + " of the other launches of the same point.%n", repeated.stream().mapToInt(line -> line.rows.size()).sum(),
                repeated.stream().mapToInt(line -> LabPredictions.agreeing(line.rows)).sum(),
                Math.round(100 * LabPredictions.TOLERANCE));
    }

    /** A caution where ranks and helpers do not have a processor each, which the model takes for granted. */
    private String crowded() {
        List<Row> crowded = lines.stream().flatMap(line -> line.rows.stream()).filter(row -> row.number("processors")
                < Math.max(MIN_PROCESSORS, row.number("load_1min") / 2)).toList();
        return crowded.isEmpty() ? "" : String.format(Locale.ROOT, "%nRanks, owners and helpers take turns on processors: %d of them with a load"
                + " of up to %.1f. The model has a processor for each.%n", (long) crowded.getFirst().number("processors"),
                crowded.stream().mapToDouble(row -> row.number("load_1min")).max().orElseThrow());
    }

    private static String share(String helper, List<Line> lines) {
        return String.format("| %s | %d | %d |%n", helper, lines.stream().filter(Line::isRight).count(), lines.size());
    }

    /** Closed loops beside an owner that computes, by those beside an idle one at the same moments. */
    private void besideIdle(StringBuilder page) {
        StringBuilder table = new StringBuilder();
        for (Line line : lines) {
            LabPoint idle = line.point.with(LabPoint.OWNER, "idle");
            if (!idle.equals(line.point) && byPoint.containsKey(idle) && line.point.text(LabPoint.ARRIVALS).equals("closed")
                    && !line.point.text(LabPoint.OPERATION).equals("overlap")) {
                Ratio ratio = LabGoals.besideIdle(line.rows, byPoint.get(idle).rows);
                table.append(String.format(Locale.ROOT, "| %s | %d | %d | %.3f | %.3f | %.2f | %.2f to %.2f |%n", brief(line.point),
                        line.all.getTotalCount(), byPoint.get(idle).all.getTotalCount(), line.medianUs(), byPoint.get(idle).medianUs(),
                        ratio.ratio(), ratio.low(), ratio.high()));
            }
        }
        if (!table.isEmpty()) {
            page.append("\n## Beside an idle owner at the same moments\n\nWith the interval of the ratio of medians as above:\n\n"
                    + "| point | n | n, idle | p50 us | idle, p50 us | ratio | interval |\n| --- | --- | --- | --- | --- | --- | --- |\n")
                    .append(table);
        }
    }

    private void requesters(StringBuilder page) {
        List<Line> several = lines.stream().filter(line -> line.point.requesters() > 1).toList();
        if (several.isEmpty()) {
            return;
        }
        page.append("\n## Several requesters\n\nRequests a second of all of them; the rate of the slowest by that of the fastest; the lowest"
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
        page.append("\n## Delays\n\nDelays that were put into a part of one request of four, and the part that is longer by them within 1 %"
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
