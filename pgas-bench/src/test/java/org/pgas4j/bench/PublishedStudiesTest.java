package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.IChart;
import org.pgas4j.bench.figure.Figure;
import org.pgas4j.bench.figure.FigureWriter;
import org.pgas4j.bench.figure.Figures;
import org.pgas4j.bench.figure.Tables;
import org.pgas4j.bench.result.Row;

/** The rows that are kept in docs/studies, what is drawn of them, and the pages that show them. */
class PublishedStudiesTest {

    private static final Path DOCS = Path.of("..", "docs");

    private static List<Path> files(String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }

    static List<Path> results() throws IOException {
        return files(".jsonl");
    }

    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (Path page : files(".md")) {
            if (Files.readString(page).contains("<!-- table ")) {
                pages.add(page);
            }
        }
        return pages;
    }

    /** The values a chart draws, by line, in order. */
    private static Map<String, List<Double>> drawn(IChart chart) {
        Map<String, List<Double>> series = new LinkedHashMap<>();
        if (chart instanceof XYChart lines) {
            lines.getSeriesCollection().forEach(line -> series.put(line.getName(),
                    Arrays.stream(line.getYData()).boxed().toList()));
        } else {
            ((CategoryChart) chart).getSeriesCollection().forEach(line -> series.put(line.getName(),
                    Arrays.stream(line.getYData()).filter(Double::isFinite).boxed().toList()));
        }
        return series;
    }

    /** True for what is drawn of the spread of repeated launches. */
    private static boolean isSpread(String line) {
        return line.contains(", least") || line.endsWith(", most");
    }

    /** Both ends of all spreads of a figure, sorted. */
    private static List<Double> spreads(Figure figure) {
        return figure.lineNames().stream().flatMap(line -> figure.positions().stream().map(x -> figure.spreadAt(line, x)))
                .filter(Objects::nonNull).flatMap(ends -> Arrays.stream(ends).boxed()).sorted().toList();
    }

    /** Cells of a table in Markdown: by heading of the column, then by first cell of the row. */
    private static Map<String, Map<String, String>> cells(String markdown) {
        List<String[]> lines = markdown.lines().filter(line -> line.startsWith("|"))
                .map(line -> line.substring(2, line.length() - 2).split(" \\| ", -1)).toList();
        Map<String, Map<String, String>> columns = new LinkedHashMap<>();
        for (String[] line : lines.subList(2, lines.size())) {
            for (int i = 1; i < line.length; i++) {
                columns.computeIfAbsent(lines.getFirst()[i], _ -> new LinkedHashMap<>()).putIfAbsent(line[0], line[i]);
            }
        }
        return columns;
    }

    @ParameterizedTest
    @MethodSource("results")
    void everyPointIsOneRowAndItsTablesCell(Path file) {
        List<Row> rows = Row.read(file);
        List<Figure> figures = Figures.of(rows);
        assertTrue(!figures.isEmpty(), "no figure of " + file);
        for (Figure figure : figures) {
            Map<String, List<Double>> drawn = drawn(FigureWriter.chart(figure));
            assertEquals(spreads(figure), drawn.entrySet().stream().filter(line -> isSpread(line.getKey()))
                    .flatMap(line -> line.getValue().stream()).sorted().toList(), figure.name());
            drawn.keySet().removeIf(PublishedStudiesTest::isSpread);
            Map<String, Map<String, String>> table = cells(figure.markdown());
            assertEquals(figure.lineNames(), List.copyOf(drawn.keySet()), figure.name());
            assertEquals(figure.lineNames(), List.copyOf(table.keySet()), figure.name());
            for (String line : figure.lineNames()) {
                List<String> printed = table.get(line).values().stream().filter(cell -> !cell.equals("-"))
                        .map(cell -> cell.replaceFirst(" \\(.*", "")).toList();
                assertEquals(printed, drawn.get(line).stream().map(Figure::number).toList(), figure.name() + ", " + line);
                List<Row> ofLine = figure.positions().stream().map(x -> figure.rowAt(line, x)).filter(Objects::nonNull).toList();
                assertEquals(drawn.get(line).size(), ofLine.size(), figure.name() + ", " + line);
                assertEquals(ofLine.size(), ofLine.stream().distinct().count(), figure.name() + ", " + line);
            }
        }
    }

    @Test
    void everyMedianIsDrawnOnceAtItsValue() {
        for (String study : List.of("memput", "memget", "helper", "matmul", "halo", "himeno", "stencil", "stream")) {
            List<Row> rows = Row.read(DOCS.resolve("studies/h200/" + study + ".jsonl"));
            List<Figure> figures = Figures.of(rows).stream().filter(figure -> figure.yTitle().startsWith("time [")
                    && !figure.name().endsWith("-cpu") && !figure.name().endsWith("-p99")
                    && !figure.name().endsWith("-communication")).toList();
            List<Double> drawn = figures.stream().flatMap(figure -> drawn(FigureWriter.chart(figure)).values().stream()
                    .flatMap(List::stream).map(value -> figure.yTitle().endsWith("[ms]") ? value * 1e3 : value)).sorted()
                    .toList();
            List<Double> measured = rows.stream().map(row -> row.times().p50()).sorted().toList();
            assertEquals(measured.size(), drawn.size(), study);
            for (int i = 0; i < measured.size(); i++) {
                assertEquals(measured.get(i), drawn.get(i), 1e-9 * measured.get(i), study);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pagesHaveTheTablesOfTheirRows(Path page) throws IOException {
        assertEquals(Files.readString(page), PageCommand.remade(page), page + " is not of its rows: scripts/bench page " + page);
    }

    @Test
    void allResultsHaveATable() throws IOException {
        String all = "";
        for (Path page : pages()) {
            all += Files.readString(page);
        }
        for (Path file : results()) {
            assertTrue(all.matches("(?s).*<!-- table \\S+ of (\\S+/)?" + file.getFileName() + " -->.*"), file.toString());
        }
    }

    /** Columns of tables on pages beside the lines of plots on the same pages. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            memput | user-level | user-level, beside messages
            memput | user-level beside direct | user-level, beside direct
            memput | messages, call alone | call alone, messages
            memput | messages, with fence | with fence, messages
            memput | direct, call alone | call alone, direct
            memput | raw D2H | raw d2h, beside messages
            memget | user-level | user-level, beside messages
            memget | user-level beside direct | user-level, beside direct
            memget | messages | memget, messages
            memget | direct | memget, direct
            helper | user-level p50 | user-level, helper off
            helper | on p50 | memget, helper on
            helper | on, owner idle p50 | memget, owner idle, helper on
            helper | auto p50 | memget, helper auto
            halo | sync | sync
            stream | graph | graph, stream
            stream | its graph | graph, low-latency stream
            """)
    void tablesOfPagesAndPlotsAgree(String study, String column, String line) {
        List<Row> rows = Row.read(DOCS.resolve("studies/h200/" + study + ".jsonl"));
        Figure figure = Figures.of(rows).getFirst();
        List<String> cells = cells(Tables.of(study, rows).markdown()).get(column).values().stream()
                .filter(cell -> !cell.equals("-")).toList();
        assertEquals(cells, figure.positions().stream().map(x -> figure.at(line, x)).filter(Objects::nonNull)
                .map(value -> String.format(Locale.ROOT, "%.1f", value)).toList());
    }
}
