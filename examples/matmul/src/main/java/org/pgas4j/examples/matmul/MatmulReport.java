package org.pgas4j.examples.matmul;

import java.io.PrintStream;
import java.util.Locale;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;
import org.pgas4j.examples.matmul.MatmulSummary.Iteration;

/** Prints a measurement, a line for each product and a summary: JSON or a table. Rank 0's thread. */
final class MatmulReport {

    private final PrintStream out;
    private final Rank rank;
    private final MatmulCase of;
    private final Inputs inputs;
    private final int devices;
    private boolean headed;

    MatmulReport(PrintStream out, Rank rank, MatmulCase of, Inputs inputs, int devices) {
        this.out = out;
        this.rank = rank;
        this.of = of;
        this.inputs = inputs;
        this.devices = devices;
    }

    void product(Iteration product) {
        JsonLine line = times(new JsonLine().add("iteration", product.number()), product)
                .add("rel_error", product.relativeError());
        if (!of.json() && !headed) {
            print("C = A*B  A = %s (%d x %d, %s), B = %s, %s%n", inputs.aName(), inputs.n(), inputs.n(), inputs.a().description(),
                    inputs.b() == inputs.a() ? "A" : inputs.bName(), of.dtype());
            print("%s in %s on %s of %s (%s), %s%n%n%s%n", count(rank.ranks(), "rank"),
                    rank.processes() == 1 ? "1 process" : rank.processes() + " processes", count(devices, "device"),
                    rank.device().backend(), rank.device().name(),
                    "style " + of.style(),
                    line.heading());
            headed = true;
        }
        print("%s%n", of.json() ? line : line.cells());
    }

    void summary(MatmulSummary summary) {
        if (of.json()) {
            JsonLine line = times(new JsonLine().add("n", inputs.n()).add("a", inputs.aName()).add("b", inputs.bName())
                    .add("ranks", rank.ranks()).add("processes", rank.processes()).add("device", rank.device().backend().toString())
                    .add("device_name", rank.device().name()).add("devices", devices).add("dtype", of.dtype())
                    .add("algorithm", of.algorithm()).add("style", of.style()).add("iterations", of.iterations()), summary.median())
                    .add("rel_error", summary.relativeError()).add("tolerance", summary.tolerance())
                    .add("verify", summary.method());
            if (summary.hasBaseline()) {
                line.add("baseline_gflops", summary.baselineGflops()).add("ratio", summary.ratio())
                        .add("ratio_best", summary.bestRatio());
            }
            print("%s%n", line);
            return;
        }
        print("%s%n%n", times(new JsonLine().add("iteration", "median"), summary.median())
                .add("rel_error", summary.relativeError()).cells());
        if (summary.hasBaseline()) {
            print("baseline: %.1f GFLOP/s by the library alone on one device; this run has %.1f %% of %s"
                    + " (best iterations: %.1f %%)%n", summary.baselineGflops(), 100 * summary.ratio(),
                    devices == 1 ? "that" : devices + " times that", 100 * summary.bestRatio());
        }
        if (summary.checked()) {
            print("%s: relative error %.2e, %s than %.1e (%s)%n", summary.failed() ? "WRONG" : "verified",
                    summary.relativeError(), summary.failed() ? "not less" : "less", summary.tolerance(), how(summary.method()));
        } else {
            print("not verified%n");
        }
    }

    private static JsonLine times(JsonLine line, Iteration product) {
        return line.add("compute_ms", product.computeMs()).add("communication_ms", product.communicationMs())
                .add("total_ms", product.totalMs()).add("gflops", product.gflops());
    }

    private static String how(String method) {
        return switch (method) {
            case "sparse" -> "every element against a sparse product in Java";
            case "full" -> "every element against plain loops in Java";
            default -> "C x against A (B x) for 16 vectors";
        };
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    private void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
        out.flush();
    }
}
