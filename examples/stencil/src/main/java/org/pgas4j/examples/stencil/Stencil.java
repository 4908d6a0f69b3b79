package org.pgas4j.examples.stencil;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.pgas4j.Backend;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.common.Options;
import org.pgas4j.examples.common.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command. */
@Command(name = "stencil",
        header = "Horizontal diffusion of a field, split by rows over devices and blocks.",
        exitCodeList = {"0:done, all styles and the CPU agree in every bit",
            "1:a result is wrong, or a failure without a code of its own",
            Example.USAGE_CODE, Example.JOB_CODES})
public final class Stencil extends Example {

    @Option(names = {"--ranks", "-n"}, order = FIRST, paramLabel = "N", defaultValue = "2",
            description = "ranks, if not started by pgasrun (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(names = "--style", paramLabel = "STYLE", split = ",", defaultValue = "blocks,staged,fused,packed",
            description = "blocks: one kernel whose blocks exchange halos; the others are driven by the host, with a put for each"
                    + " level: staged: three kernels a step; fused: one; packed: one, and one put for all levels"
                    + " (default: ${DEFAULT-VALUE})")
    private List<Style> styles;

    @Option(names = "--i", paramLabel = "N", defaultValue = "128", description = "points in a row (default: ${DEFAULT-VALUE})")
    private int isize;

    @Option(names = "--j", paramLabel = "N", description = "rows of each rank (default: 320, on the host device 32)")
    private Integer jsize;

    @Option(names = "--levels", paramLabel = "N", defaultValue = "26", description = "levels (default: ${DEFAULT-VALUE})")
    private int levels;

    @Option(names = "--steps", paramLabel = "N", description = "steps of a run (default: 200, on the host device 20)")
    private Integer steps;

    @Option(names = "--blocks", paramLabel = "N",
            description = "blocks of each rank, at least two rows for each (default: a block for 4 rows, on the host device 2)")
    private Integer blocks;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "256",
            description = "threads of a block, a multiple of 32 (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--check-steps", paramLabel = "N", defaultValue = "3",
            description = "steps compared with the CPU before the first run (default: ${DEFAULT-VALUE})")
    private int checkSteps;

    @Option(names = "--proxy", description = "blocks of different ranks reach each other through the host only")
    private boolean proxy;

    @Option(names = "--runs", paramLabel = "N", defaultValue = "5", description = "runs measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--warmup", paramLabel = "N", defaultValue = "1",
            description = "runs before those (default: ${DEFAULT-VALUE})")
    private int warmup;

    private Result reference;
    private Style referenceStyle;

    private Stencil(PrintStream out, PrintStream err) {
        super(out, err);
    }

    public static void main(String[] args) {
        exit(run(List.of(args), System.out, System.err));
    }

    static int run(List<String> args, PrintStream out, PrintStream err) {
        return new Stencil(out, err).run(args);
    }

    @Override
    protected PgasConfig config() {
        Options.atLeast(1, "--ranks", ranks);
        styles.forEach(style -> settings(style, hostAsked()));
        return onDevice(new PgasConfig().ranks(ranks));
    }

    private Settings settings(Style style, boolean onHost) {
        int rows = jsize != null ? jsize : onHost ? 32 : 320;
        return new Settings(style, isize, rows, levels, steps != null ? steps : onHost ? 20 : 200,
                blocks != null ? blocks : onHost ? Math.min(2, rows / 2) : Math.max(1, rows / 4), threads, proxy, checkSteps,
                warmup, runs);
    }

    @Override
    protected void program(Rank rank) {
        boolean first = rank.rank() == 0;
        boolean onHost = rank.device().backend() == Backend.HOST;
        if (first && !json()) {
            Settings settings = settings(styles.getFirst(), onHost);
            print("horizontal diffusion, %d x %d x %d points on each of %d %s, %d steps, on %s (%s)%n%n%8s  %16s  %14s  %14s  %10s"
                    + "  %s%n", settings.isize(), settings.jsize(), settings.levels(), rank.ranks(),
                    rank.ranks() == 1 ? "rank" : "ranks", settings.steps(), rank.device().name(), rank.device().backend(),
                    "style", "median [us/step]", "min [us/step]", "CPU [us/step]", "max error", "checksum");
        }
        for (Style style : styles) {
            Settings settings = settings(style, onHost);
            Result result = StencilRun.run(rank, settings);
            if (first) {
                report(rank, settings, result);
            }
        }
    }

    private void report(Rank rank, Settings settings, Result result) {
        if (reference == null) {
            reference = result;
            referenceStyle = settings.style();
        }
        boolean same = result.checksum() == reference.checksum();
        boolean right = result.checked() && same;
        Times step = Times.of(result.ns(), result.cpuNs()).per(settings.steps());
        String checksum = String.format(Locale.ROOT, "%016x", result.checksum());
        if (json()) {
            print(new JsonLine().add("example", "stencil").add("style", settings.style())
                    .add("device", rank.device().backend().toString()).add("ranks", rank.ranks()).add("i", settings.isize())
                    .add("j", settings.jsize()).add("levels", settings.levels()).add("steps", settings.steps())
                    .add("blocks", settings.blocks()).add("threads", settings.threads()).add("proxy", settings.proxy())
                    .add("runs", settings.runs()).add("median_us_per_step", step.medianUs(), 3)
                    .add("min_us_per_step", step.minUs(), 3).add("cpu_us_per_step", step.cpuUs(), 3)
                    .add("max_error", result.maxError()).add("checksum", checksum).add("checked", right));
        } else {
            print("%8s  %16.2f  %14.2f  %14.2f  %10.1e  %s%s%n", settings.style(), step.medianUs(), step.minUs(),
                    step.cpuUs(), result.maxError(), checksum, right ? "" : " WRONG");
        }
        if (!result.checked()) {
            wrong("style " + settings.style() + " differs from the CPU by up to " + result.maxError() + " after "
                    + settings.checkSteps() + " steps (expected: 0)");
        }
        if (!same) {
            wrong("the result of style " + settings.style() + " is not that of style " + referenceStyle
                    + " (expected: the same bits)");
        }
    }
}
