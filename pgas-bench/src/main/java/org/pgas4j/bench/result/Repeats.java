package org.pgas4j.bench.result;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Rows of repeated launches ({@link Row#REPEAT}), grouped: the rows of one group are the same place of the same line, one of each
 * launch. Rows that are not of a repeated launch are groups of their own.
 */
public final class Repeats {

    /** Launches that a merged row is of. */
    public static final String LAUNCHES = "launches";
    /** Least and most of their medians, microseconds. */
    public static final String LOW_US = "p50_low_us";
    /** Most of their medians, microseconds. */
    public static final String HIGH_US = "p50_high_us";

    private Repeats() {
    }

    /** All that two rows of a group have in common: what is no number, and sizes; points of an experiment have all in their name. */
    private static String identity(Row row) {
        return row.study() + '|' + row.op() + '|' + row.from() + '|' + row.to() + '|' + row.route() + '|' + row.bytes() + '|'
                + row.circumstances(Set.of()) + '|' + row.text(Row.BASELINE) + '|' + row.text(Row.POINT);
    }

    /**
     * Groups of rows, in the order of their first.
     *
     * @throws IllegalArgumentException if launches do not have as many rows of one line each
     */
    public static List<List<Row>> groups(List<Row> rows) {
        Map<String, List<Row>> lines = rows.stream().collect(Collectors.groupingBy(Repeats::identity, LinkedHashMap::new,
                Collectors.toList()));
        Map<Row, List<Row>> byFirst = new LinkedHashMap<>();
        for (List<Row> line : lines.values()) {
            if (line.stream().anyMatch(row -> row.more().containsKey(Row.REPEAT))) {
                zip(line).forEach(group -> byFirst.put(group.getFirst(), group));
            } else {
                line.forEach(row -> byFirst.put(row, List.of(row)));
            }
        }
        return rows.stream().filter(byFirst::containsKey).map(byFirst::remove).toList();
    }

    /**
     * Groups of rows by what names their place in any run: study, operation, style and so on, not machine or version, and a number
     * where several places have the same.
     *
     * @throws IllegalArgumentException as {@link #groups} does
     */
    public static Map<String, List<Row>> lines(List<Row> rows) {
        Map<String, List<Row>> lines = new LinkedHashMap<>();
        for (List<Row> group : groups(rows)) {
            Row row = group.getFirst();
            Map<String, String> circumstances = row.circumstances(Set.of(Provenance.HOST, Provenance.COMMIT, Row.FILE, "op", "from", "to"));
            String name = row.study() + ' ' + row.op() + ' ' + row.from() + " to " + row.to() + ' '
                    + (row.x() == Math.rint(row.x()) ? Long.toString((long) row.x()) : Double.toString(row.x())) + ", "
                    + String.join(", ", circumstances.values());
            String unique = name;
            for (int i = 2; lines.containsKey(unique); i++) {
                unique = name + " #" + i;
            }
            lines.put(unique, group);
        }
        return lines;
    }

    /** Places follow each other in the same order in all launches. */
    private static List<List<Row>> zip(List<Row> line) {
        Map<Double, List<Row>> launches = line.stream().collect(Collectors.groupingBy(row -> row.number(Row.REPEAT), TreeMap::new,
                Collectors.toList()));
        List<List<Row>> groups = new ArrayList<>();
        int places = launches.values().iterator().next().size();
        launches.forEach((launch, rows) -> {
            if (rows.size() != places) {
                throw new IllegalArgumentException("repeat " + launch + " has " + rows.size() + " rows, another " + places + ": "
                        + rows.getFirst().json());
            }
        });
        for (int i = 0; i < places; i++) {
            int place = i;
            groups.add(launches.values().stream().map(rows -> rows.get(place)).toList());
        }
        return groups;
    }

    /** One row for each group: medians of all numbers, with the least and the most of the medians beside. */
    public static List<Row> merged(List<Row> rows) {
        return groups(rows).stream().map(Repeats::merge).toList();
    }

    private static Row merge(List<Row> group) {
        Row first = group.getFirst();
        if (group.size() == 1) {
            return first;
        }
        SampleTimes times = new SampleTimes(median(group, row -> row.times().p50()), median(group, row -> row.times().p99()),
                median(group, row -> row.times().p999()), median(group, row -> row.times().max()),
                median(group, row -> row.times().mean()), group.stream().mapToLong(row -> row.times().samples()).sum(),
                first.times().batch(), group.stream().mapToLong(row -> row.times().singles()).sum(), null);
        Map<String, Object> more = new LinkedHashMap<>(first.more());
        more.remove(Row.REPEAT);
        more.replaceAll((key, value) -> value instanceof Number ? (Object) median(group, row -> row.number(key)) : value);
        more.put(LAUNCHES, (long) group.size());
        more.put(LOW_US, group.stream().mapToDouble(row -> row.times().p50()).min().orElseThrow());
        more.put(HIGH_US, group.stream().mapToDouble(row -> row.times().p50()).max().orElseThrow());
        return new Row(first.study(), first.op(), first.from(), first.to(), first.route(), first.processes(), first.bytes(), times,
                median(group, Row::baselineUs), group.stream().mapToLong(Row::wrong).sum(), more);
    }

    private static double median(List<Row> group, ToDoubleFunction<Row> value) {
        return median(group.stream().mapToDouble(value).toArray());
    }

    /** Median, of an even number of values the mean of the middle two; NaN if one of them is. */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted); // NaN last
        if (sorted.length == 0 || Double.isNaN(sorted[sorted.length - 1])) {
            return Double.NaN;
        }
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
