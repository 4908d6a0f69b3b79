package org.pgas4j.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Lines to plot: values by position on the x axis, which is a number or a name. */
final class Figure {

    /** How positions are laid out. */
    enum Axis {
        /** Powers of two, of bytes. */
        BYTES,
        /** Powers of two. */
        NUMBERS,
        /** Names, in the order they were added. */
        NAMES
    }

    private final String name;
    private final String title;
    private final Axis axis;
    private final String xTitle;
    private final String yTitle;
    private final boolean logarithmic;
    private final Map<String, Map<Comparable<?>, List<Double>>> lines = new LinkedHashMap<>();

    /**
     * @param name        of its files
     * @param logarithmic of the y axis
     */
    Figure(String name, String title, Axis axis, String xTitle, String yTitle, boolean logarithmic) {
        this.name = name;
        this.title = title;
        this.axis = axis;
        this.xTitle = xTitle;
        this.yTitle = yTitle;
        this.logarithmic = logarithmic;
    }

    /** Adds a value at a number; of several at one place the median counts. */
    void add(String line, double x, double y) {
        put(line, x, y);
    }

    /** Adds a value at a name. */
    void add(String line, String x, double y) {
        put(line, x, y);
    }

    private void put(String line, Comparable<?> x, double y) {
        if (Double.isFinite(y) && (!logarithmic || y > 0)) {
            lines.computeIfAbsent(line, _ -> axis == Axis.NAMES ? new LinkedHashMap<>() : new TreeMap<>())
                    .computeIfAbsent(x, _ -> new ArrayList<>()).add(y);
        }
    }

    String name() {
        return name;
    }

    String title() {
        return title;
    }

    Axis axis() {
        return axis;
    }

    String xTitle() {
        return xTitle;
    }

    String yTitle() {
        return yTitle;
    }

    boolean logarithmic() {
        return logarithmic;
    }

    List<String> lineNames() {
        return List.copyOf(lines.keySet());
    }

    /** All positions of all lines, in order. */
    List<Comparable<?>> positions() {
        Map<Comparable<?>, Boolean> all = axis == Axis.NAMES ? new LinkedHashMap<>() : new TreeMap<>();
        lines.values().forEach(line -> line.keySet().forEach(x -> all.put(x, true)));
        return new ArrayList<>(all.keySet());
    }

    /** The value of a line at a position; null if it has none. */
    Double at(String line, Comparable<?> x) {
        List<Double> values = lines.get(line).get(x);
        return values == null ? null : values.stream().sorted().toList().get((values.size() - 1) / 2);
    }

    /** A position as text. */
    String label(Comparable<?> x) {
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
    String markdown() {
        StringBuilder table = new StringBuilder("| " + xTitle + " | " + String.join(" | ", lineNames()) + " |\n|"
                + " --- |".repeat(lines.size() + 1) + "\n");
        for (Comparable<?> x : positions()) {
            table.append("| ").append(label(x)).append(" |");
            for (String line : lineNames()) {
                Double value = at(line, x);
                table.append(' ').append(value == null ? "-" : number(value)).append(" |");
            }
            table.append('\n');
        }
        return table.toString();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
    }
}
