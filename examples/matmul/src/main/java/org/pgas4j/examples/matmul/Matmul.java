package org.pgas4j.examples.matmul;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.pgas4j.Pgas;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.RankProgram;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.Options;
import org.pgas4j.examples.common.StandardOutput;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine;

/** The command: reads the options and the matrices, starts the job, and says with its exit code how it went. */
public final class Matmul {

    private static final long SMALL_HEAP = 16L << 20;

    private final MatmulOptions options;
    private final PrintStream out;
    private final PrintStream err;

    private Matmul(MatmulOptions options, PrintStream out, PrintStream err) {
        this.options = options;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        Example.exit(run(List.of(args), System.out, System.err));
    }

    /** Runs the command; returns its exit code. Arguments {@code --pgas.key=value} become system properties. */
    static int run(List<String> args, PrintStream out, PrintStream err) {
        return StandardOutput.checked(withoutCheck(args, out, err), "matmul", out, err);
    }

    private static int withoutCheck(List<String> args, PrintStream out, PrintStream err) {
        MatmulOptions options = new MatmulOptions();
        CommandLine line = new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true);
        try {
            line.parseArgs(Options.takeRuntimeOptions(args));
            if (StandardOutput.informs(line, out)) {
                return Example.OK;
            }
            options.validate();
        } catch (ParameterException | UsageException e) {
            err.println("matmul: " + e.getMessage());
            err.println("Try 'matmul --help'.");
            return Example.USAGE;
        }
        try {
            return new Matmul(options, out, err).execute();
        } catch (SegmentMemoryException e) {
            err.println("matmul: no memory: " + e.getMessage());
            return Example.USAGE;
        } catch (PgasException e) {
            err.println("matmul: " + e.getMessage());
            if (e.exitCode() == Example.WRONG && e.getCause() != null) {
                e.getCause().printStackTrace(err);   // nobody foresaw it
            }
            return e.getCause() instanceof OutOfMemoryError ? Example.USAGE : e.exitCode();
        } catch (OutOfMemoryError e) {
            err.println("matmul: no memory: " + e.getMessage() + "; take a smaller matrix or give java a larger -Xmx");
            return Example.USAGE;
        }
    }

    private int execute() {
        RankCount ranks = RankCount.of(options);
        checkOut();
        try (Arena arena = Arena.ofShared();
             Progress progress = Progress.of(options.warmup() + options.iterations(), err)) {
            Inputs inputs = Inputs.load(options, ranks, arena);
            if (options.libraryOnly()) {
                return libraryOnly(inputs);
            }
            Report report = options.json() ? new JsonReport(out) : new TableReport(out);
            Measurement measurement = new Measurement(options, inputs, report, progress);
            RankProgram program = switch (options.style()) {
                case RUNTIME -> new MatmulProgram(inputs, options, measurement);
                case USER_LEVEL -> new UserLevelProgram(inputs, options, measurement);
            };
            MemoryNeed need = MemoryNeed.of(inputs.n(), ranks, options);
            Pgas.run(config(ranks.chosen(inputs.n()), inputs.n()).deviceHeap(need.deviceHeap())
                    .hostHeap(need.hostHeap()), program);
            return verdict(measurement.summary(), err);
        }
    }

    private PgasConfig config(int ranks, int n) {
        PgasConfig config = new PgasConfig().ranks(ranks).timeout(patience(n));
        if (options.device() != null) {
            config.set(PgasKey.DEVICE, options.device());
        }
        return config;
    }

    /** A minute, and what the whole product takes at 1 GFLOP/s: ranks wait for the slowest, and for the check. */
    private static Duration patience(double n) {
        return Duration.ofSeconds(60 + (long) Math.min(1e9, 2e-9 * n * n * n));
    }

    /** In the JVM of the baseline. */
    private int libraryOnly(Inputs inputs) {
        Pgas.run(config(1, inputs.n()).deviceHeap(SMALL_HEAP).hostHeap(SMALL_HEAP),
                new LibraryProgram(inputs, options, out));
        return Example.OK;
    }

    private void checkOut() {
        if (options.out() == null) {
            return;
        }
        Path parent = options.out().toAbsolutePath().getParent();
        if (Files.exists(options.out()) && !Files.isRegularFile(options.out()) || parent == null || !Files.isWritable(parent)) {
            throw new UsageException("--out " + options.out()
                    + ": cannot be written (expected: a file in a directory that exists and is writable)");
        }
    }

    /** The exit code, and a line if it is not 0. */
    static int verdict(Summary summary, PrintStream err) {
        if (summary == null || !summary.failed()) {
            return Example.OK;   // without rank 0 there is nothing to judge here
        }
        err.println("matmul: the result is wrong: relative error " + summary.relativeError() + " (expected: <= "
                + summary.tolerance() + ")");
        return Example.WRONG;
    }
}
