package org.pgas4j.bench;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes plots of results, on any machine. */
@Command(name = "plot", mixinStandardHelpOptions = true, description = "Makes plots of results in JSON lines.")
final class PlotCommand implements Runnable {

    @Option(names = "--in", required = true, split = ",", paramLabel = "FILE", description = "results, JSON lines")
    private List<Path> in;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "where the plots go")
    private Path out;

    @Override
    public void run() {
    }
}
