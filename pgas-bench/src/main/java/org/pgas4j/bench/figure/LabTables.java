package org.pgas4j.bench.figure;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabPredictions;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.result.Row;

/** Tables of an experiment on helper threads: points that differ in one axis side by side. */
final class LabTables {

    private LabTables() {
    }

    /** Medians of one requester in a closed loop, by helper. */
    static Sheet helpers(List<Row> rows) {
        return table(rows, row -> isUsual(row) && isClosed(row) && row.number(LabPoint.REQUESTERS) == 1, List.of("operation", "bytes",
                "owner"), row -> List.of(row.op(), bytes(row) + route(row) + jvms(row, rows),
                        owner(row)), row -> row.text(Row.HELPER), "us, helper ", Tables::p50);
    }

    /** Time of a unit of the owner's work beside requests of one requester, by that without, by helper. */
    static Sheet slowDowns(List<Row> rows) {
        return table(rows, row -> isUsual(row) && isClosed(row) && row.number(LabPoint.REQUESTERS) == 1
                && row.number(LabReport.WORK_SLOW_DOWN) > 0, List.of("operation", "bytes", "owner"),
                row -> List.of(row.op(), bytes(row) + route(row) + jvms(row, rows), owner(row)), row -> row.text(Row.HELPER),
                "slow-down, helper ",
                row -> Tables.number("%.3f", row.number(LabReport.WORK_SLOW_DOWN)));
    }

    /** Medians of one requester in an open loop, by load. */
    static Sheet open(List<Row> rows) {
        return table(rows, row -> isUsual(row) && !isClosed(row) && row.number(LabPoint.REQUESTERS) == 1, List.of("arrivals", "owner",
                "helper"), row -> List.of(row.text(LabPoint.ARRIVALS), owner(row), row.text(Row.HELPER) + memory(row)
                        + jvms(row, rows)),
                row -> Figures.plain(row.number(LabPoint.LOAD)), "us, load ", Tables::p50);
    }

    /** Rates of a closed loop, by number of requesters. */
    static Sheet requesters(List<Row> rows) {
        Predicate<Row> several = row -> row.number(LabPoint.REQUESTERS) > 1;
        Function<Row, List<String>> launch = row -> join(rateOf(row), List.of(row.text(Row.SETTING), row.processes() == 1 ? "1" : ""));
        List<List<String>> wanted = rows.stream().filter(several).map(launch).distinct().toList();
        return table(rows, row -> isUsual(row) && isClosed(row) && wanted.contains(launch.apply(row)), List.of("operation", "owner", "helper"),
                LabTables::rateOf, row -> Figures.plain(row.number(LabPoint.REQUESTERS)), "a second by ",
                row -> Tables.number("%.0f", row.number(LabReport.PER_SECOND)));
    }

    /** How many medians are as the model predicts them, by helper. */
    static Sheet model(List<Row> rows) {
        LabPredictions predictions = new LabPredictions(rows);
        Shares shares = new Shares("requests");
        for (Row row : rows) {
            LabPoint point = LabPoint.parse(row.text(Row.POINT));
            double us = predictions.of(point).medianUs();
            if (!Double.isNaN(us)) {
                shares.add(requests(point), row.text(Row.HELPER), LabPredictions.isRight(us, row.times().p50()) ? 1 : 0, 1);
            }
        }
        return shares.sheet();
    }

    /** How many launches have the median that the other launches of their point have, by helper. */
    static Sheet repeats(List<Row> rows) {
        Shares shares = new Shares("owner's turn, ms");
        Map<LabPoint, List<Row>> points = LabPredictions.byPoint(rows);
        points.keySet().stream().sorted(Comparator.comparingDouble(point -> point.number(LabPoint.KERNEL_MS)))
                .filter(point -> points.get(point).size() > 1)
                .forEach(point -> shares.add(point.text(LabPoint.KERNEL_MS), point.text(LabPoint.HELPER),
                        LabPredictions.agreeing(points.get(point)), points.get(point).size()));
        return shares.sheet();
    }

    /** Counts of medians that are within the model's tolerance of another value, by helper and in all. */
    private static final class Shares {

        private static final String ALL = "all";

        private final String key;
        private final Map<String, Map<String, long[]>> lines = new LinkedHashMap<>();
        private final Set<String> helpers = new TreeSet<>();

        Shares(String key) {
            this.key = key;
        }

        void add(String line, String helper, long within, long of) {
            helpers.add(helper);
            for (String each : List.of(line, ALL)) {
                for (String column : List.of(helper, ALL)) {
                    long[] counts = lines.computeIfAbsent(each, _ -> new TreeMap<>()).computeIfAbsent(column, _ -> new long[2]);
                    counts[0] += within;
                    counts[1] += of;
                }
            }
        }

        Sheet sheet() {
            List<String> columns = join(List.copyOf(helpers), List.of(ALL));
            Map<String, long[]> all = lines.remove(ALL);
            if (all != null) {
                lines.put(ALL, all); // last
            }
            Sheet sheet = new Sheet(key, columns.stream().map(helper -> "within " + Math.round(100 * LabPredictions.TOLERANCE)
                    + " %, " + (helper.equals(ALL) ? helper : "helper " + helper)).toList());
            lines.forEach((line, counts) -> sheet.row(join(List.of(line), columns.stream().map(helper -> counts.containsKey(helper)
                    ? counts.get(helper)[0] + " of " + counts.get(helper)[1] : Tables.NONE).toList())));
            return sheet;
        }
    }

    private static String requests(LabPoint point) {
        return point.requesters() > 1 ? "several requesters" : point.text(LabPoint.OPERATION).equals("overlap") ? "with a kernel (overlap)"
                : point.text(LabPoint.ARRIVALS).equals("closed") ? "closed loop" : "open loop";
    }

    private static List<String> rateOf(Row row) {
        return List.of(row.op() + " of " + bytes(row), owner(row), row.text(Row.HELPER));
    }

    /** A line for each key of the rows that are wanted, in order of the rows, a column for each value of an axis. */
    private static Sheet table(List<Row> rows, Predicate<Row> wanted, List<String> keys, Function<Row, List<String>> key,
            Function<Row, String> axis, String heading, Function<Row, String> cell) {
        Map<List<String>, Map<String, String>> lines = new LinkedHashMap<>();
        Map<String, String> columns = new TreeMap<>(Comparator.comparingDouble(LabTables::number).thenComparing(Function.identity()));
        rows.stream().filter(wanted).sorted(Comparator.comparing(Row::op).thenComparing(Row::bytes)
                .thenComparing(row -> row.text(LabPoint.OWNER)).thenComparing(row -> row.number(Row.KERNEL_MS))).forEach(row -> {
                    columns.put(axis.apply(row), heading + axis.apply(row));
                    String before = lines.computeIfAbsent(key.apply(row), _ -> new TreeMap<>()).put(axis.apply(row), cell.apply(row));
                    if (before != null) {
                        throw new IllegalArgumentException("two rows for " + key.apply(row) + ", " + axis.apply(row) + ": " + row.json());
                    }
                });
        Sheet sheet = new Sheet(keys.getFirst(), join(keys.subList(1, keys.size()), List.copyOf(columns.values())));
        lines.forEach((line, cells) -> sheet.row(join(line, columns.keySet().stream().map(at -> cells.getOrDefault(at, Tables.NONE)).toList())));
        return sheet;
    }

    /** A text as a number; infinite if it is none. */
    private static double number(String text) {
        return text.matches("[0-9]+(\\.[0-9]+)?") ? Double.parseDouble(text) : Double.POSITIVE_INFINITY;
    }

    private static List<String> join(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** True without a delay and without settings but the route. */
    private static boolean isUsual(Row row) {
        return row.text(LabPoint.INJECT).equals("none") && row.text(Row.SETTING).matches("route=\\w+");
    }

    private static boolean isClosed(Row row) {
        return row.text(LabPoint.ARRIVALS).equals("closed");
    }

    /** Size, and the requester's memory if that is not on its device. */
    private static String bytes(Row row) {
        return Tables.bytes(row.bytes()) + memory(row);
    }

    private static String memory(Row row) {
        return row.from().equals(LabPoint.HOST) || row.to().equals(LabPoint.HOST) ? ", host" : "";
    }

    private static String route(Row row) {
        return row.text(Row.SETTING).contains("messages") ? ", messages" : "";
    }

    /** Names the single JVM of a row if other rows of one requester have two. */
    private static String jvms(Row row, List<Row> rows) {
        return row.processes() == 1 && rows.stream().anyMatch(each -> each.processes() == 2) ? ", one JVM" : "";
    }

    private static String owner(Row row) {
        double ms = row.number(Row.KERNEL_MS);
        return row.text(LabPoint.OWNER) + (ms == 0 ? "" : " " + Figures.plain(ms) + " ms");
    }
}
