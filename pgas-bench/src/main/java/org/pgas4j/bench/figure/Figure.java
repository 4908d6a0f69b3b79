package org.pgas4j.bench.figure;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Repeats;
import org.pgas4j.bench.result.Row;

/**
 * Lines to plot: values by position on the x axis, which is a number or a name.
 *
 * <p>Rows of one label are told apart by all that differs among them: route, reach, launch, JVMs, file and so on
 * ({@link Row#circumstances}). Two values for one line and position are refused, unless they are of repeated launches
 * ({@link Row#REPEAT}): then the value is their median, with the least and the most beside.
 */
public final class Figure {

    /** Layout of positions. */
    public enum Axis {
        /** Powers of two, of bytes. */
        BYTES,
        /** Powers of two. */
        NUMBERS,
        /** Names, in the order they were added. */
        NAMES
    }

    private record Point(String label, Map<String, String> circumstances, Comparable<?> x, double y, Row row) {

        private boolean repeats(Point other) {
            return row.more().containsKey(Row.REPEAT) && other.row.more().containsKey(Row.REPEAT)
                    && row.number(Row.REPEAT) != other.row.number(Row.REPEAT);
        }
    }

    private final String name;
    private final String title;
    private final Axis axis;
    private final String xTitle;
    private final String yTitle;
    private final boolean logarithmic;
    private final Set<String> positionKeys;
    private final List<Point> points = new ArrayList<>();
    private Map<String, Map<Comparable<?>, List<Point>>> lines;

    /**
     * @param name         of its files
     * @param logarithmic  of the y axis
     * @param positionKeys what of a row's circumstances is its position rather than its line
     */
    public Figure(String name, String title, Axis axis, String xTitle, String yTitle, boolean logarithmic, String... positionKeys) {
        this.name = name;
        this.title = title;
        this.axis = axis;
        this.xTitle = xTitle;
        this.yTitle = yTitle;
        this.logarithmic = logarithmic;
        this.positionKeys = Set.of(positionKeys);
    }

    /** Adds a value of a row at a number. The label has style and operation. */
    public void add(String label, Row row, double x, double y) {
        put(label, row, x, y);
    }

    /** Adds a value of a row at a name. */
    public void add(String label, Row row, String x, double y) {
        put(label, row, x, y);
    }

    private void put(String label, Row row, Comparable<?> x, double y) {
        if (Double.isFinite(y) && (!logarithmic || y > 0)) {
            points.add(new Point(label, row.circumstances(positionKeys), x, y, row));
            lines = null;
        }
    }

    public String name() {
        return name;
    }

    public String title() {
        return title;
    }

    public Axis axis() {
        return axis;
    }

    public String xTitle() {
        return xTitle;
    }

    public String yTitle() {
        return yTitle;
    }

    public boolean logarithmic() {
        return logarithmic;
    }

    public List<String> lineNames() {
        return List.copyOf(lines().keySet());
    }

    /** Line of a label and words of circumstances, in order. */
    private Map<String, Map<Comparable<?>, List<Point>>> lines() {
        if (lines == null) {
            Map<String, Map<Comparable<?>, List<Point>>> all = new LinkedHashMap<>();
            Map<String, List<String>> differing = new LinkedHashMap<>();
            for (Point point : points) {
                String line = line(point, differing.computeIfAbsent(point.label, this::differing));
                List<Point> before = all.computeIfAbsent(line, _ -> axis == Axis.NAMES ? new LinkedHashMap<>() : new TreeMap<>())
                        .computeIfAbsent(point.x, _ -> new ArrayList<>());
                before.stream().filter(other -> !other.repeats(point)).findFirst().ifPresent(other -> refuse(line, other, point));
                before.add(point);
            }
            lines = all;
        }
        return lines;
    }

    private void refuse(String line, Point before, Point point) {
        throw new IllegalArgumentException(String.format(Locale.ROOT, "figure %s, line '%s', %s %s: two values, %s of %s and %s of"
                + " %s", name, line, xTitle, label(point.x), before.y, before.row.json(), point.y, point.row.json()));
    }

    /** The circumstances in which points of a label differ. */
    private List<String> differing(String label) {
        Map<String, Set<String>> values = new LinkedHashMap<>();
        List<Point> ofLabel = points.stream().filter(point -> point.label.equals(label)).toList();
        ofLabel.forEach(point -> point.circumstances.keySet().forEach(key -> values.put(key, Set.of())));
        return values.keySet().stream()
                .filter(key -> ofLabel.stream().map(point -> point.circumstances.getOrDefault(key, "")).distinct().count() > 1)
                .toList();
    }

    private static String line(Point point, List<String> differing) {
        StringBuilder line = new StringBuilder(point.label);
        for (String key : differing) {
            String words = point.circumstances.get(key);
            line.append(", ").append(words == null ? "no " + key : words);
        }
        return line.toString();
    }

    /** All positions of all lines, in order. */
    public List<Comparable<?>> positions() {
        Map<Comparable<?>, Boolean> all = axis == Axis.NAMES ? new LinkedHashMap<>() : new TreeMap<>();
        points.forEach(point -> all.put(point.x, true));
        return new ArrayList<>(all.keySet());
    }

    private List<Point> pointsAt(String line, Comparable<?> x) {
        return lines().get(line).getOrDefault(x, List.of());
    }

    /** The value of a line at a position, the median where launches are repeated; null if it has none. */
    public Double at(String line, Comparable<?> x) {
        List<Point> here = pointsAt(line, x);
        return here.isEmpty() ? null : Repeats.median(here.stream().mapToDouble(Point::y).toArray());
    }

    /** The least and the most of the values of repeated launches; null if there are not several. */
    public double[] spreadAt(String line, Comparable<?> x) {
        DoubleSummaryStatistics ys = pointsAt(line, x).stream().mapToDouble(Point::y).summaryStatistics();
        return ys.getCount() < 2 ? null : new double[] {ys.getMin(), ys.getMax()};
    }

    /** True if a value is of several launches. */
    public boolean hasSpread() {
        return lines().values().stream().flatMap(line -> line.values().stream()).anyMatch(here -> here.size() > 1);
    }

    /** The row that a value of a line comes from, of repeated launches the first; null if it has none. */
    public Row rowAt(String line, Comparable<?> x) {
        List<Point> here = pointsAt(line, x);
        return here.isEmpty() ? null : here.getFirst().row;
    }

    /** Machines, dates and versions of the rows, as far as they say. */
    public String provenance() {
        String machine = distinct(Provenance.PROCESSOR) + ", " + distinct(Provenance.HOST);
        List<String> times = points.stream().map(point -> point.row.text(Provenance.TIME)).filter(time -> !time.isEmpty())
                .map(time -> time.substring(0, time.indexOf('T'))).distinct().sorted().toList();
        return times.isEmpty() ? "" : machine + "; " + times.getFirst() + (times.size() == 1 ? "" : " to " + times.getLast())
                + "; commit " + distinct(Provenance.COMMIT);
    }

    private String distinct(String key) {
        return points.stream().map(point -> point.row.text(key)).map(text -> text.isEmpty() ? "unknown" : text).distinct()
                .collect(Collectors.joining(" and "));
    }

    /** Numbers of samples of all points: one, or the least and the most. */
    public String samples() {
        long least = points.stream().mapToLong(point -> point.row.times().samples()).min().orElse(0);
        long most = points.stream().mapToLong(point -> point.row.times().samples()).max().orElse(0);
        int launches = lines().values().stream().flatMap(line -> line.values().stream()).mapToInt(List::size).max().orElse(1);
        return (least == most ? String.format(Locale.ROOT, "%,d samples a point", least)
                : String.format(Locale.ROOT, "%,d to %,d samples a point", least, most))
                + (launches == 1 ? "" : ", median, least and most of " + launches + " launches");
    }

    /** A position as text. */
    public String label(Comparable<?> x) {
        return axis == Axis.NAMES ? x.toString() : axis == Axis.BYTES ? bytes((Double) x)
                : Long.toString(Math.round((Double) x));
    }

    private static String bytes(double value) {
        String[] units = {"", " Ki", " Mi", " Gi"};
        int unit = 0;
        double rest = value;
        while (rest >= 1024 && unit < units.length - 1) {
            rest /= 1024;
            unit++;
        }
        return (rest == Math.rint(rest) ? Long.toString((long) rest) : String.format(Locale.ROOT, "%.1f", rest)) + units[unit];
    }

    /** The values as a table in Markdown. */
    public String markdown() {
        Sheet table = new Sheet(xTitle, lineNames());
        for (Comparable<?> x : positions()) {
            List<String> cells = new ArrayList<>(List.of(label(x)));
            for (String line : lineNames()) {
                Double value = at(line, x);
                double[] spread = spreadAt(line, x);
                cells.add(value == null ? "-" : spread == null ? number(value)
                        : number(value) + " (" + number(spread[0]) + " to " + number(spread[1]) + ")");
            }
            table.row(cells);
        }
        return table.markdown();
    }

    /** A value with three or more digits. */
    public static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
    }
}
