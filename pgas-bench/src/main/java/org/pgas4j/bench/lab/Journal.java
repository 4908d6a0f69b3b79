package org.pgas4j.bench.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.UsageException;
import org.pgas4j.bench.result.Row;

/**
 * The points of an experiment that are finished, in a file to which each is appended when it is: an experiment that was
 * interrupted goes on after them. A last line that was not written to its end is taken away. Belongs to one plan.
 */
public final class Journal {

    private static final String ROWS = "journal.jsonl";
    private static final String SKIPPED = "skipped.tsv";
    private static final String PLAN = "plan.json";

    /**
     * A point that could not be measured.
     *
     * @param repeat from 0
     * @param reason in words, one line
     */
    public record Skip(int repeat, LabPoint point, String reason) {

        private static Skip parse(String line) {
            String[] parts = line.split("\t", 3);
            return new Skip(Integer.parseInt(parts[0]), LabPoint.parse(parts[1]), parts[2]);
        }

        private String line() {
            return repeat + "\t" + point + "\t" + reason.replaceAll("\\s+", " ") + "\n";
        }
    }

    private final Path file;
    private final Path skips;
    private final List<Skip> skipped = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final Set<String> finished = new HashSet<>();

    /**
     * Opens the journal of a directory, which is made if there is none.
     *
     * @param plan text of the plan
     * @throws UsageException if the directory has the journal of another plan
     */
    public Journal(Path dir, String plan) throws IOException {
        Files.createDirectories(dir);
        Path kept = dir.resolve(PLAN);
        if (Files.exists(kept) && !Files.readString(kept).equals(plan)) {
            throw new UsageException(dir + " has the results of another plan, " + kept + "; choose another --out");
        }
        Files.writeString(kept, plan);
        file = dir.resolve(ROWS);
        if (Files.exists(file)) {
            String text = Files.readString(file);
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            if (whole.length() < text.length()) {
                Files.writeString(file, whole);
            }
            whole.lines().map(Row::parse).forEach(this::remember);
        }
        skips = dir.resolve(SKIPPED);
        if (Files.exists(skips)) {
            Files.readAllLines(skips).stream().filter(line -> line.split("\t", 3).length == 3).map(Skip::parse).forEach(skipped::add);
        }
    }

    private Journal() {
        file = null;
        skips = null;
    }

    /** Nothing finished, and nothing to be added. */
    public static Journal empty() {
        return new Journal();
    }

    private void remember(Row row) {
        rows.add(row);
        LabPoint point = LabPoint.parse(row.text(Row.POINT)); // of older programs, without the axes that came later
        finished.add(key(point.toString(), (int) row.number(Row.REPEAT)));
    }

    private static String key(String point, int repeat) {
        return repeat + " " + point;
    }

    /** True if a point's repeat is there. */
    public boolean has(LabPoint point, int repeat) {
        return finished.contains(key(point.toString(), repeat));
    }

    /** Appends a finished point's row. */
    public void add(Row row) throws IOException {
        append(file, row.jsonWithHistogram() + "\n");
        remember(row);
    }

    private static void append(Path to, String text) throws IOException {
        Files.write(to, text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Appends a point that could not be measured. It is not finished: an experiment that goes on tries it again. */
    public void skip(Skip skip) throws IOException {
        append(skips, skip.line());
        skipped.add(skip);
    }

    /** Points that could not be measured and are not finished since, each with its last reason. */
    public List<Skip> skipped() {
        Map<String, Skip> last = new LinkedHashMap<>();
        skipped.stream().filter(skip -> !has(skip.point, skip.repeat)).forEach(skip -> last.put(key(skip.point.toString(), skip.repeat), skip));
        return List.copyOf(last.values());
    }

    /** All finished, in the order of their end. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }
}
