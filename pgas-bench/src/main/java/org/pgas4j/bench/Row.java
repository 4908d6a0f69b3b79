package org.pgas4j.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One line of a study. Times are per operation.
 *
 * @param study      name of the study
 * @param op         operation
 * @param from       where the bytes come from: host or device
 * @param to         where they go
 * @param route      the route they took
 * @param processes  JVMs of the job
 * @param bytes      per operation; 0 where it moves none
 * @param times      of the operation
 * @param baselineUs median of what it is compared with in the same run, microseconds; NaN if there is nothing
 * @param wrong      bytes or elements that arrived wrong
 * @param more       what only some studies have, by key: texts, {@link Long} and {@link Double}, in the order printed
 */
record Row(String study, String op, String from, String to, String route, int processes, long bytes, Times times,
           double baselineUs, long wrong, Map<String, Object> more) {

    /** Who did it: {@code user-level}, {@code runtime} or {@code raw}. */
    static final String STYLE = "style";
    /** Helper threads: off, on or auto. */
    static final String HELPER = "helper";
    /** Length of the owner's kernels. */
    static final String KERNEL_MS = "kernel_ms";
    /** Order of a matrix. */
    static final String N = "n";
    /** What was set for the launch. */
    static final String SETTING = "setting";

    private static final List<String> GROUPING = List.of(STYLE, HELPER, SETTING, NotifyStudy.INITIATOR, NotifyStudy.WAITER);

    Row {
        more = new LinkedHashMap<>(more);
    }

    /**
     * Of what {@link Sampler} measured.
     *
     * @param times    picoseconds
     * @param baseline picoseconds; null if there is none
     */
    Row(String study, String op, String from, String to, String route, int processes, long bytes, Histogram times,
        Histogram baseline, long wrong) {
        this(study, op, from, to, route, processes, bytes, Times.of(times),
                baseline == null || baseline.getTotalCount() == 0 ? Double.NaN : Times.of(baseline).p50(), wrong, Map.of());
    }

    /** The same with one more key; a null value adds nothing. */
    Row with(String key, Object value) {
        if (value == null) {
            return this;
        }
        Map<String, Object> added = new LinkedHashMap<>(more);
        added.put(key, value instanceof Integer number ? (Object) number.longValue() : value);
        return new Row(study, op, from, to, route, processes, bytes, times, baselineUs, wrong, added);
    }

    /** The same as a row of another study. */
    Row in(String other) {
        return new Row(other, op, from, to, route, processes, bytes, times, baselineUs, wrong, more);
    }

    /** A text of {@link #more}; empty if it has none. */
    String text(String key) {
        Object value = more.get(key);
        return value == null ? "" : value.toString();
    }

    /** A number of {@link #more}; NaN if it has none. */
    double number(String key) {
        return more.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** What the study varies: order of the matrix, length of the kernel or size. */
    double x() {
        return more.containsKey(N) ? number(N) : more.containsKey(KERNEL_MS) ? number(KERNEL_MS) : bytes;
    }

    /** Of the median; 0 where the time is not that of moving the bytes. */
    double gbps() {
        return bytes == 0 || more.containsKey(N) ? 0 : bytes / times.p50() / 1e3;
    }

    private double ratio() {
        return times.p50() / baselineUs;
    }

    // ---- JSON and CSV

    /** All keys and values in order; numbers are {@link Long} and {@link Double}. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("study", study);
        fields.put("op", op);
        fields.put("from", from);
        fields.put("to", to);
        fields.put("route", route);
        fields.put("processes", (long) processes);
        fields.put("bytes", bytes);
        fields.put("p50_us", times.p50());
        fields.put("p99_us", times.p99());
        fields.put("p999_us", times.p999());
        fields.put("max_us", times.max());
        fields.put("mean_us", times.mean());
        fields.put("gbps", gbps());
        fields.put("baseline_p50_us", baselineUs);
        fields.put("ratio", ratio());
        fields.put("wrong", wrong);
        fields.put("samples", times.samples());
        fields.putAll(more);
        return fields;
    }

    /** One JSON object. */
    String json() {
        return FlatJson.write(fields());
    }

    /** What {@link #json} wrote. */
    static Row parse(String json) {
        Map<String, Object> fields = FlatJson.parse(json);
        Times times = new Times(takeDouble(fields, "p50_us"), takeDouble(fields, "p99_us"), takeDouble(fields, "p999_us"),
                takeDouble(fields, "max_us"), takeDouble(fields, "mean_us"), takeLong(fields, "samples"));
        fields.remove("gbps");
        fields.remove("ratio");
        return new Row(takeText(fields, "study"), takeText(fields, "op"), takeText(fields, "from"), takeText(fields, "to"),
                takeText(fields, "route"), (int) takeLong(fields, "processes"), takeLong(fields, "bytes"), times,
                takeDouble(fields, "baseline_p50_us"), takeLong(fields, "wrong"), fields);
    }

    private static Object take(Map<String, Object> fields, String key) {
        if (!fields.containsKey(key)) {
            throw new IllegalArgumentException("no \"" + key + "\" in a result: " + fields);
        }
        Object value = fields.remove(key);
        return value == null ? Double.NaN : value;
    }

    private static String takeText(Map<String, Object> fields, String key) {
        return take(fields, key).toString();
    }

    private static double takeDouble(Map<String, Object> fields, String key) {
        return take(fields, key) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private static long takeLong(Map<String, Object> fields, String key) {
        return take(fields, key) instanceof Number number ? number.longValue() : 0;
    }

    /** Rows as CSV with a heading; what a row has not stays empty. */
    static List<String> csv(List<Row> rows) {
        List<String> keys = new ArrayList<>();
        for (Row row : rows) {
            for (String key : row.fields().keySet()) {
                if (!keys.contains(key)) {
                    keys.add(key);
                }
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.join(",", keys));
        for (Row row : rows) {
            Map<String, Object> fields = row.fields();
            lines.add(String.join(",", keys.stream().map(key -> FlatJson.plain(fields.get(key))).toList()));
        }
        return lines;
    }

    // ---- tables

    /** What rows of one table have in common. */
    String title() {
        StringBuilder title = new StringBuilder(String.format(Locale.ROOT, "# pgas4j %s %s, %s to %s, route %s, processes %d",
                study, op, from, to, route, processes));
        for (String key : GROUPING) {
            if (more.containsKey(key)) {
                title.append(", ").append(key).append(' ').append(more.get(key));
            }
        }
        return title.toString();
    }

    /** The heading of {@link #table}. */
    String heading() {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT,
                "%-10s%20s%12s%12s%12s%12s%10s%14s%8s%8s", more.containsKey(N) ? "# N" : more.containsKey(KERNEL_MS)
                ? "# ms" : "# Size", "Latency (us)", "p50", "p99", "p99.9", "max", "GB/s", "baseline p50", "ratio", "#wrong"));
        for (String key : columns()) {
            line.append(String.format(Locale.ROOT, "%20s", key));
        }
        return line.toString();
    }

    /** One line: size and mean in the columns of the OSU benchmarks, then the rest. */
    String table() {
        boolean compared = !Double.isNaN(baselineUs);
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-10s%20.4f%12.4f%12.4f%12.4f%12.4f%10.2f%14s%8s%8d",
                FlatJson.plain(x() == Math.rint(x()) ? (Object) (long) x() : (Object) x()), times.mean(), times.p50(),
                times.p99(), times.p999(), times.max(), gbps(),
                compared ? String.format(Locale.ROOT, "%.4f", baselineUs) : "-",
                compared ? String.format(Locale.ROOT, "%.2f", ratio()) : "-", wrong));
        for (String key : columns()) {
            line.append(String.format(Locale.ROOT, "%20s", FlatJson.plain(more.get(key))));
        }
        return line.toString();
    }

    /** Numbers that only some studies have; of percentiles the median. */
    private List<String> columns() {
        return more.entrySet().stream().filter(entry -> entry.getValue() instanceof Number).map(Map.Entry::getKey)
                .filter(key -> !key.equals(N) && !key.equals(KERNEL_MS) && !key.contains("_p99") && !key.contains("_max"))
                .toList();
    }
}
