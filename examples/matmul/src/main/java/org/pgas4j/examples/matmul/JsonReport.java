package org.pgas4j.examples.matmul;

import java.io.PrintStream;
import org.pgas4j.examples.common.JsonLine;

/** For programs: one JSON object a line, the last one the summary. */
final class JsonReport implements Report {

    private final PrintStream out;

    JsonReport(PrintStream out) {
        this.out = out;
    }

    @Override
    public void start(Setup setup) {
    }

    @Override
    public void iteration(Iteration iteration) {
        print(times(new JsonLine().add("iteration", iteration.number()), iteration)
                .add("rel_error", iteration.relativeError()));
    }

    @Override
    public void end(Summary summary) {
        Setup setup = summary.setup();
        JsonLine line = new JsonLine().add("n", setup.n()).add("a", setup.a()).add("b", setup.b())
                .add("ranks", setup.ranks()).add("processes", setup.processes()).add("device", setup.device())
                .add("device_name", setup.deviceName()).add("devices", setup.devices()).add("dtype", setup.dtype())
                .add("style", setup.style()).add("iterations", summary.iterations());
        times(line, summary.median()).add("rel_error", summary.relativeError()).add("tolerance", summary.tolerance())
                .add("verify", summary.method());
        if (summary.library().measured()) {
            line.add("baseline_gflops", summary.library().median()).add("ratio", summary.ratio())
                    .add("ratio_best", summary.bestRatio());
        }
        print(line);
    }

    private static JsonLine times(JsonLine line, Iteration iteration) {
        return line.add("compute_ms", iteration.computeMs()).add("communication_ms", iteration.communicationMs())
                .add("total_ms", iteration.totalMs()).add("gflops", iteration.gflops());
    }

    private void print(JsonLine line) {
        out.print(line + "\n");
        out.flush();
    }
}
