package org.pgas4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes plots of results, on any machine. */
@Command(name = "plot", mixinStandardHelpOptions = true, description = "Makes plots of results in JSON lines.")
final class PlotCommand implements Callable<Integer> {

    @Option(names = "--in", required = true, split = ",", paramLabel = "FILE", description = "results, JSON lines")
    private List<Path> in;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "where the plots go: PNG and SVG")
    private Path out;

    @Override
    public Integer call() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Path file : in) {
            rows.addAll(read(file));
        }
        Files.createDirectories(out);
        for (Figure figure : Figures.of(rows)) {
            FigureWriter.write(figure, out);
            System.out.println(out.resolve(figure.name() + ".png"));
        }
        return 0;
    }

    /** The rows of a file; other lines are passed over. */
    static List<Row> read(Path file) throws IOException {
        return Files.readAllLines(file).stream().filter(line -> line.startsWith("{")).map(Row::parse).toList();
    }
}
