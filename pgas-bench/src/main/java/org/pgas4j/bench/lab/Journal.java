package org.pgas4j.bench.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.pgas4j.UsageException;
import org.pgas4j.bench.result.Row;

/**
 * The points of an experiment that are finished, in a file to which each is appended when it is: an experiment that was
 * interrupted goes on after them. A last line that was not written to its end is taken away. Belongs to one plan.
 */
public final class Journal {

    private static final String ROWS = "journal.jsonl";
    private static final String PLAN = "plan.json";

    private final Path file;
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
        Files.write(file, (row.jsonWithHistogram() + "\n").getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        remember(row);
    }

    /** All finished, in the order of their end. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }
}
