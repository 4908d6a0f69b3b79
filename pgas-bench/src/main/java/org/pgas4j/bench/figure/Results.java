package org.pgas4j.bench.figure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.bench.result.HistogramLog;
import org.pgas4j.bench.result.Row;

/** A directory of results: of each study JSON lines, CSV, plots and a note on how they were made, and a page of all. */
public final class Results {

    private static final String INDEX = "index.md";
    private static final String HISTOGRAMS = ".hlog";
    /** The parts that {@link #canPlot} found missing. */
    public static final String NO_PLOTS = "no plots, as this Java has no module java.desktop";

    private final Path dir;

    public Results(Path dir) throws IOException {
        this.dir = Files.createDirectories(dir);
    }

    /**
     * Replaces what there is of a study.
     *
     * @param environment lines that describe machine and version
     * @param command     what makes the same again
     */
    public void keep(String study, List<Row> rows, List<String> environment, String command) throws IOException {
        if (rows.isEmpty()) {
            System.err.println("bench: no results of " + study + " to keep");
            return;
        }
        Files.write(dir.resolve(study + ".jsonl"), rows.stream().map(Row::json).toList());
        Files.writeString(dir.resolve(study + ".csv"), Row.csv(rows));
        if (rows.stream().anyMatch(row -> row.times().encoded() != null)) {
            HistogramLog.write(dir.resolve(study + HISTOGRAMS), study, rows);
        }
        List<String> about = new ArrayList<>();
        about.add("date: " + Instant.now().truncatedTo(ChronoUnit.SECONDS));
        environment.forEach(line -> about.add(line.replaceAll(" -Dpgas\\.\\S+", ""))); // a launch's own
        about.add("command: " + command);
        Files.write(dir.resolve(study + ".txt"), about);
        if (!canPlot()) {
            System.err.println("bench: " + NO_PLOTS + "; scripts/bench plot of a checkout makes them of " + study + ".jsonl");
            return;
        }
        for (Figure figure : Figures.of(rows)) {
            FigureWriter.write(figure, dir);
        }
    }

    /** True if this Java has what plots need; the small one of a distribution has not. */
    public static boolean canPlot() {
        return ModuleLayer.boot().findModule("java.desktop").isPresent();
    }

    /** Writes the page anew, of all studies there are. */
    public void index(String command, List<String> studies) throws IOException {
        StringBuilder page = new StringBuilder("# Studies\n\nMeasured by `" + command + "`; each section has the command for it"
                + " alone, and its plots come anew from the JSON lines by `scripts/bench plot --in FILE --out DIR`.\n");
        for (String study : studies) {
            if (Files.exists(dir.resolve(study + ".jsonl"))) {
                section(page, study);
            }
        }
        List<String> others = others();
        if (!others.isEmpty()) {
            page.append("\n## Further pages\n\n");
            others.forEach(other -> page.append("- [").append(other).append("](").append(other).append(")\n"));
        }
        Files.writeString(dir.resolve(INDEX), page);
    }

    private void section(StringBuilder page, String study) throws IOException {
        List<Row> rows = Row.read(dir.resolve(study + ".jsonl"));
        page.append("\n## ").append(study).append("\n\n");
        Path about = dir.resolve(study + ".txt");
        for (String line : Files.exists(about) ? Files.readAllLines(about) : List.<String>of()) {
            page.append(line.startsWith("command: ") ? "\n    " + line.substring(9) + "\n" : "- " + line + "\n");
        }
        page.append("\n[JSON lines](").append(study).append(".jsonl), [CSV](").append(study).append(".csv)")
                .append(Files.exists(dir.resolve(study + HISTOGRAMS)) ? ", [histograms](" + study + HISTOGRAMS + ")" : "").append("; ")
                .append(rows.size()).append(" results, ").append(rows.stream().mapToLong(Row::wrong).sum())
                .append(" bytes or elements wrong.\n");
        for (Figure figure : Figures.of(rows)) {
            page.append("\n![").append(figure.title()).append("](").append(figure.name()).append(".svg)\n\n")
                    .append(figure.title()).append(", ").append(figure.yTitle()).append(":\n\n").append(figure.markdown());
        }
    }

    private List<String> others() throws IOException {
        try (var files = Files.list(dir)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".md") && !name.equals(INDEX)).sorted().toList();
        }
    }
}
