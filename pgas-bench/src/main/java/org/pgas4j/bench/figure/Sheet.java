package org.pgas4j.bench.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A table in Markdown. */
public final class Sheet {

    private final List<String> columns;
    private final List<List<String>> rows = new ArrayList<>();

    public Sheet(String first, List<String> others) {
        columns = Stream.concat(Stream.of(first), others.stream()).toList();
    }

    public Sheet(String... columns) {
        this.columns = List.of(columns);
    }

    public Sheet row(Object... cells) {
        return row(Arrays.stream(cells).map(Object::toString).toList());
    }

    public Sheet row(List<String> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException(cells.size() + " cells, " + columns.size() + " columns: " + cells);
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    public String markdown() {
        StringBuilder text = new StringBuilder(line(columns)).append('|').append(" --- |".repeat(columns.size())).append('\n');
        rows.forEach(row -> text.append(line(row)));
        return text.toString();
    }

    private static String line(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
