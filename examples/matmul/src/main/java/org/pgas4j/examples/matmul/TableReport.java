package org.pgas4j.examples.matmul;

import java.io.PrintStream;
import java.util.Locale;

/** For people: a heading, a line for each iteration, a summary. */
final class TableReport implements Report {

    private final PrintStream out;

    TableReport(PrintStream out) {
        this.out = out;
    }

    @Override
    public void start(Setup setup) {
        print("C = A*B  A = %s (%d x %d, %s), B = %s, %s%n", setup.a(), setup.n(), setup.n(), setup.described(),
                setup.b().equals(setup.a()) && !setup.a().equals("random") ? "A" : setup.b(), setup.dtype());
        print("%s in %s on %s of %s (%s), style %s%n%n", count(setup.ranks(), "rank"),
                setup.processes() == 1 ? "1 process" : setup.processes() + " processes",
                count(setup.devices(), "device"), setup.device(), setup.deviceName(), setup.style());
        print("%9s  %12s  %18s  %10s  %9s  %14s%n", "iteration", "compute [ms]", "communication [ms]", "total [ms]",
                "GFLOP/s", "relative error");
    }

    @Override
    public void iteration(Iteration iteration) {
        line(Integer.toString(iteration.number()), iteration, iteration.relativeError());
    }

    @Override
    public void end(Summary summary) {
        line("median", summary.median(), summary.relativeError());
        print("%n");
        if (summary.library().measured()) {
            print("baseline: %.1f GFLOP/s by the library alone on one device; this run has %.1f %% of %s"
                    + " (best iterations: %.1f %%)%n", summary.library().median(), 100 * summary.ratio(),
                    summary.setup().devices() == 1 ? "that" : summary.setup().devices() + " times that",
                    100 * summary.bestRatio());
        }
        if (summary.checked()) {
            print("%s: relative error %.2e, %s than %.1e (%s)%n", summary.failed() ? "WRONG" : "verified",
                    summary.relativeError(), summary.failed() ? "not less" : "less", summary.tolerance(),
                    how(summary.method()));
        } else {
            print("not verified%n");
        }
    }

    private static String how(String method) {
        return switch (method) {
            case "sparse" -> "every element against a sparse product in Java";
            case "full" -> "every element against plain loops in Java";
            default -> "C x against A (B x) for 16 vectors";
        };
    }

    private void line(String label, Iteration iteration, double error) {
        print("%9s  %12.3f  %18.3f  %10.3f  %9.2f  %14s%n", label, iteration.computeMs(), iteration.communicationMs(),
                iteration.totalMs(), iteration.gflops(),
                Double.isNaN(error) ? "-" : String.format(Locale.ROOT, "%.2e", error));
        out.flush();
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
    }
}
