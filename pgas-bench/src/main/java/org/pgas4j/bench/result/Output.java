package org.pgas4j.bench.result;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints rows as they come or, where those of several tables come mixed, when they are complete. */
public final class Output {

    /** Format of printed rows. */
    public enum Format {
        TABLE,
        JSON,
        CSV
    }

    private final Format format;
    private final boolean mixed;
    private final Path csvFile;
    private final PrintStream out;
    private final boolean histograms;
    private final List<Row> all = new ArrayList<>();
    private final Map<String, List<Row>> tables = new LinkedHashMap<>();
    private String open = "";
    private long wrong;

    /**
     * @param mixed   true if rows of several tables come mixed
     * @param csvFile gets all rows as CSV as well; null for none
     */
    public Output(Format format, boolean mixed, Path csvFile, PrintStream out) {
        this(format, mixed, csvFile, out, false);
    }

    /** @param histograms true for JSON lines with all samples */
    public Output(Format format, boolean mixed, Path csvFile, PrintStream out, boolean histograms) {
        this.histograms = histograms;
        this.format = format;
        this.mixed = mixed;
        this.csvFile = csvFile;
        this.out = out;
    }

    public void add(Row row) {
        wrong += row.wrong();
        all.add(row);
        switch (format) {
            case JSON -> out.println(histograms ? row.jsonWithHistogram() : row.json());
            case TABLE -> {
                if (mixed) {
                    tables.computeIfAbsent(row.title(), _ -> new ArrayList<>()).add(row);
                } else {
                    print(row);
                }
            }
            case CSV -> {
                // when the columns are known
            }
        }
    }

    private void print(Row row) {
        String title = row.title();
        if (!title.equals(open)) {
            open = title;
            out.println(title);
            out.println(row.heading());
        }
        out.println(row.table());
    }

    /** Prints the tables that are complete now. */
    public void flushTables() {
        tables.values().forEach(rows -> rows.forEach(this::print));
        tables.clear();
    }

    /** Prints and writes what is left. */
    public void finish() {
        flushTables();
        if (format == Format.CSV) {
            out.print(Row.csv(all));
        }
        if (out.checkError()) {
            throw new UncheckedIOException("results to standard output", new IOException("not all could be written"));
        }
        if (csvFile != null) {
            try {
                Files.writeString(csvFile, Row.csv(all));
            } catch (IOException e) {
                throw new UncheckedIOException("results to " + csvFile, e);
            }
        }
    }

    /** All rows so far. */
    public List<Row> rows() {
        return all;
    }

    /** Bytes or elements that arrived wrong, of all rows. */
    public long wrong() {
        return wrong;
    }
}
