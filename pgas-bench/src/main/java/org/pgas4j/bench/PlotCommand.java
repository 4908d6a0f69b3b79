package org.pgas4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Figure;
import org.pgas4j.bench.figure.FigureWriter;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.figure.Figures;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes plots of results, on any machine. */
@Command(name = "plot", mixinStandardHelpOptions = true, versionProvider = Version.class, description = "Makes plots of results in JSON lines.")
final class PlotCommand implements Callable<Integer> {

    @Option(names = "--in", required = true, split = ",", paramLabel = "FILE", description = "results, JSON lines; of several files each has lines of its own")
    private List<Path> in;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "where the plots go: PNG and SVG")
    private Path out;

    @Override
    public Integer call() {
        if (!Results.canPlot()) {
            throw new UsageException(Results.NO_PLOTS);
        }
        List<Row> rows = Row.read(in);
        try {
            Files.createDirectories(out);
            for (Figure figure : Figures.of(rows)) {
                FigureWriter.write(figure, out);
                System.out.println(out.resolve(figure.name() + ".png"));
            }
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("plots to " + out, e);
        }
        return 0;
    }
}
