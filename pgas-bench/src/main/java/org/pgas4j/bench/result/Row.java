package org.pgas4j.bench.result;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.pgas4j.UsageException;

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
public record Row(String study, String op, String from, String to, String route, int processes, long bytes, SampleTimes times,
           double baselineUs, long wrong, Map<String, Object> more) {

    /** Version that was measured: {@code user-level}, {@code runtime} or {@code raw}. */
    public static final String STYLE = "style";
    /** Helper threads: off, on or auto. */
    public static final String HELPER = "helper";
    /** Length of the owner's kernels. */
    public static final String KERNEL_MS = "kernel_ms";
    /** Order of a matrix. */
    public static final String N = "n";
    /** Settings of the launch. */
    public static final String SETTING = "setting";
    /** Host, stream or kernel that starts a communication. */
    public static final String INITIATOR = "initiator";
    /** Host, stream or kernel that waits for it. */
    public static final String WAITER = "waiter";
    /** Way in which the initiator reaches the waiter's memory: same-device, peer or proxy. */
    public static final String REACH = "reach";
    /** Number of ranks where there are not two. */
    public static final String RANKS = "ranks";
    /** Style that an example is compared with. */
    public static final String BASELINE = "baseline";
    /** Study of wire-up, collectives and memory by number of ranks. */
    public static final String SCALING = "scaling";
    /** Operation of which a sample is many, one after the other. */
    public static final String RATE = "memput_rate";
    /** Number of the launch, from 0, where one is repeated. */
    public static final String REPEAT = "repeat";
    /** Point of an experiment, in the words of its plan. */
    public static final String POINT = "point";
    /** File it was read from, of several. */
    public static final String FILE = "file";

    /** Setting that forces a route. */
    private static final String ROUTE = "route";
    /** Texts that describe a row further and differ with its position. */
    private static final Set<String> DESCRIPTIONS = descriptions();
    private static final List<String> GROUPING = List.of(STYLE, HELPER, SETTING, INITIATOR, WAITER, REPEAT);

    private static final String HISTOGRAM = "hdr";
    private static final String SINGLES = "singles";

    public Row {
        more = new LinkedHashMap<>(more);
    }

    private static Set<String> descriptions() {
        Set<String> keys = new HashSet<>(Set.of("method", "grid", POINT, BASELINE, SETTING, INITIATOR, WAITER, REACH));
        keys.addAll(Provenance.KEYS);
        keys.removeAll(Provenance.DISTINGUISHING);
        return keys;
    }

    /** Row of what was measured, with a summary of the times of what it is compared with; null if there is none. */
    public Row(String study, String op, String from, String to, String route, int processes, long bytes, SampleTimes times,
            Histogram baseline, long wrong) {
        this(study, op, from, to, route, processes, bytes, times,
                baseline == null || baseline.getTotalCount() == 0 ? Double.NaN : SampleTimes.median(baseline), wrong, Map.of());
    }

    /**
     * Row of what was measured.
     *
     * @param times    picoseconds per operation
     * @param batch    operations of a sample
     * @param baseline picoseconds per operation; null if there is none
     */
    public Row(String study, String op, String from, String to, String route, int processes, long bytes, Histogram times, long batch,
        Histogram baseline, long wrong) {
        this(study, op, from, to, route, processes, bytes, SampleTimes.of(times, batch), baseline, wrong);
    }

    /** The same with one more key; a null value adds nothing. */
    public Row with(String key, Object value) {
        if (value == null) {
            return this;
        }
        Map<String, Object> added = new LinkedHashMap<>(more);
        added.put(key, value instanceof Integer number ? (Object) number.longValue() : value);
        return new Row(study, op, from, to, route, processes, bytes, times, baselineUs, wrong, added);
    }

    /** The same as a row of another study. */
    public Row in(String other) {
        return new Row(other, op, from, to, route, processes, bytes, times, baselineUs, wrong, more);
    }

    /** A text of {@link #more}; empty if it has none. */
    public String text(String key) {
        Object value = more.get(key);
        return value == null ? "" : value.toString();
    }

    /** A number of {@link #more}; NaN if it has none. */
    public double number(String key) {
        return more.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** Position that the study varies: order of the matrix, length of the kernel or size. */
    public double x() {
        return more.containsKey(N) ? number(N) : more.containsKey(KERNEL_MS) ? number(KERNEL_MS) : bytes;
    }

    /** Of the median; 0 where the time is not that of moving the bytes. */
    public double gbps() {
        return bytes == 0 || more.containsKey(N) ? 0 : bytes / times.p50() / 1e3;
    }

    private double ratio() {
        return times.p50() / baselineUs;
    }

    // ---- differences between rows

    /** The settings of a launch: KEY=VALUE, separated by blanks. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : text(SETTING).split(" ")) {
            int equals = setting.indexOf('=');
            if (equals > 0) {
                settings.put(setting.substring(0, equals), setting.substring(equals + 1));
            }
        }
        return settings;
    }

    /**
     * All that distinguishes this row from others of its study but its position and its numbers, in words by key: the forced route,
     * or the reach or route it had where none was; its launch, JVMs, operation, style, places and file.
     *
     * @param without keys that are its position
     */
    public Map<String, String> circumstances(Set<String> without) {
        Map<String, String> all = new LinkedHashMap<>();
        Map<String, String> settings = settings();
        String asked = settings.remove(ROUTE);
        String reach = text(REACH);
        all.put(ROUTE, asked == null ? reach.isEmpty() ? route : reach
                : text(STYLE).isEmpty() || text(STYLE).equals("runtime") ? asked : "beside " + asked);
        if (asked != null && !reach.isEmpty()) {
            all.put(REACH, reach);
        }
        settings.forEach((key, value) -> all.put(key, key + " " + value));
        all.put("op", op.replace('_', ' '));
        all.put("from", "from " + from);
        all.put("to", "to " + to);
        String initiator = text(INITIATOR);
        String waiter = text(WAITER);
        if (!initiator.isEmpty() && !without.contains(INITIATOR)) {
            all.put(INITIATOR, waiter.isEmpty() || waiter.equals(initiator) || without.contains(WAITER)
                    ? initiator : initiator + " to " + waiter);
        }
        more.forEach((key, value) -> {
            if (value instanceof String text && !DESCRIPTIONS.contains(key)) {
                all.put(key, key.equals(HELPER) || Provenance.DISTINGUISHING.contains(key) ? key + " " + text : text);
            }
        });
        if (more.containsKey("blocks")) {
            all.put("blocks", more.get("blocks") + " blocks");
        }
        if (more.containsKey(RANKS)) {
            all.put(RANKS, more.get(RANKS) + " ranks");
        }
        all.put("processes", processes + (processes == 1 ? " JVM" : " JVMs"));
        all.keySet().removeAll(without);
        return all;
    }

    // ---- JSON and CSV

    /** All keys and values in order; numbers are {@link Long} and {@link Double}. */
    public Map<String, Object> fields() {
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
        fields.put("batch", times.batch() == SampleTimes.UNKNOWN ? null : times.batch());
        if (times.batch() != 1 && times.singles() > 0) {
            fields.put(SINGLES, times.singles());
        }
        fields.putAll(more);
        return fields;
    }

    /** The rows of files, of several with their file's name. */
    public static List<Row> read(List<Path> files) {
        return files.stream().flatMap(file -> read(file).stream().map(row -> files.size() == 1 ? row
                : row.with(FILE, file.toString()))).toList();
    }

    /** The rows of a file; other lines are skipped. */
    public static List<Row> read(Path file) {
        try {
            return Files.readAllLines(file).stream().filter(line -> line.startsWith("{")).map(Row::parse).toList();
        } catch (NoSuchFileException e) {
            throw new UsageException("no results " + file, e);
        } catch (IOException e) {
            throw new UsageException("cannot read results " + file + ": " + e, e);
        } catch (IllegalArgumentException e) {
            throw new UsageException("no results in " + file + ": " + e.getMessage(), e);
        }
    }

    /** One JSON object. */
    public String json() {
        return FlatJson.write(fields());
    }

    /** The same with all samples, if they were kept. */
    public String jsonWithHistogram() {
        Map<String, Object> fields = fields();
        if (times.encoded() != null) {
            fields.put(HISTOGRAM, times.encoded());
        }
        return FlatJson.write(fields);
    }

    /** Reads what {@link #json} or {@link #jsonWithHistogram} wrote. */
    public static Row parse(String json) {
        Map<String, Object> fields = FlatJson.parse(json);
        long samples = takeLong(fields, "samples");
        long batch = takeBatch(fields);
        Object histogram = fields.remove(HISTOGRAM);
        long singles = batch == 1 ? samples : fields.containsKey(SINGLES) ? takeLong(fields, SINGLES) : 0;
        SampleTimes times = new SampleTimes(takeDouble(fields, "p50_us"), takeDouble(fields, "p99_us"), takeDouble(fields, "p999_us"),
                takeDouble(fields, "max_us"), takeDouble(fields, "mean_us"), samples, batch, singles,
                histogram == null ? null : histogram.toString());
        fields.remove("gbps");
        fields.remove("ratio");
        return new Row(takeText(fields, "study"), takeText(fields, "op"), takeText(fields, "from"), takeText(fields, "to"),
                takeText(fields, "route"), (int) takeLong(fields, "processes"), takeLong(fields, "bytes"), times,
                takeDouble(fields, "baseline_p50_us"), takeLong(fields, "wrong"), fields);
    }

    /** Rows of older programs have no batch: known are the studies that time each operation by itself. */
    private static long takeBatch(Map<String, Object> fields) {
        if (fields.containsKey("batch")) {
            return takeLong(fields, "batch");
        }
        boolean single = switch (fields.get("study").toString()) {
            case "memput", "memget", "helper", "matmul", SCALING -> true;
            case "ablation" -> !RATE.equals(fields.get("op"));
            default -> false;
        };
        return single ? 1 : SampleTimes.UNKNOWN;
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

    /** Rows as CSV of RFC 4180 with a heading, lines ended by LF; what a row has not stays empty. */
    public static String csv(List<Row> rows) {
        Set<String> keys = new LinkedHashSet<>();
        rows.forEach(row -> keys.addAll(row.fields().keySet()));
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            csv.writeRecord(keys);
            for (Row row : rows) {
                Map<String, Object> fields = row.fields();
                csv.writeRecord(keys.stream().map(key -> FlatJson.plain(fields.get(key))).toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("CSV into memory", e);
        }
        return text.toString();
    }

    // ---- tables

    /** Title of the table that the row belongs to. */
    public String title() {
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
    public String heading() {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT,
                "%-10s%20s%12s%12s%12s%12s%10s%10s%10s%14s%8s%8s", more.containsKey(N) ? "# N" : more.containsKey(KERNEL_MS)
                ? "# ms" : "# Size", "Latency (us)", "p50", "p99", "p99.9", "max", "samples", "batch", "GB/s", "baseline p50",
                "ratio", "#wrong"));
        for (String key : columns()) {
            line.append(String.format(Locale.ROOT, "%20s", key));
        }
        return line.toString();
    }

    /** One line: size and mean in the columns of the OSU benchmarks, then the rest; "-" for what is not known. */
    public String table() {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-10s%20.4f%12.4f%12s%12s%12s%10d%10s%10.2f%14s%8s%8d",
                FlatJson.plain(x() == Math.rint(x()) ? (Object) (long) x() : (Object) x()), times.mean(), times.p50(),
                known("%.4f", times.p99()), known("%.4f", times.p999()), known("%.4f", times.max()), times.samples(),
                times.batch() == SampleTimes.UNKNOWN ? "-" : Long.toString(times.batch()), gbps(), known("%.4f", baselineUs),
                known("%.2f", ratio()), wrong));
        for (String key : columns()) {
            line.append(String.format(Locale.ROOT, "%20s", FlatJson.plain(more.get(key))));
        }
        return line.toString();
    }

    private static String known(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }

    /** Numbers that only some studies have; of percentiles the median. */
    private List<String> columns() {
        return more.entrySet().stream().filter(entry -> entry.getValue() instanceof Number).map(Map.Entry::getKey)
                .filter(key -> !key.equals(N) && !key.equals(KERNEL_MS) && !key.contains("_p99") && !key.contains("_max")
                        && !Provenance.KEYS.contains(key) && !key.equals(REPEAT))
                .toList();
    }
}
