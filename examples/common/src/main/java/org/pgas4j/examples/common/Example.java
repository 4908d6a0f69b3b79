package org.pgas4j.examples.common;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.pgas4j.ExitCode;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * A command that starts one job and reports by its exit code how that went. A subclass adds its own options and two steps:
 * {@link #config()} checks the options, so that wrong ones start nothing, and {@link #program} runs on every rank.
 */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done, and verified unless --no-verify was given",
            "1:the result is wrong, or a failure without a code of its own",
            "2:an option or a file is wrong, or memory does not suffice",
            "10..16:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout, check"})
public abstract class Example {

    public static final int OK = 0;
    public static final int WRONG = ExitCode.PROGRAM.number();
    public static final int USAGE = ExitCode.USAGE.number();

    private static final String SETTING = "--pgas.";
    private static final int LAST = 1000;

    @Option(names = {"--ranks", "-n"}, paramLabel = "N",
            description = "ranks, if no launcher gives their number (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--json", order = LAST, description = "one JSON object a line")
    private boolean json;

    private PrintStream out;
    private PrintStream err;
    private boolean ranksGiven;
    private boolean headed;
    private volatile int code = OK;

    /** {@code ranks} is the number of ranks unless an option, a setting or a launcher gives one. */
    protected Example(int ranks) {
        this.ranks = ranks;
    }

    /** Settings of the job; {@link #onDevice} adds those of the options here. */
    protected abstract PgasConfig config();

    /** Runs on every rank. */
    protected abstract void program(Rank rank) throws Exception;

    /** Runs the command in place of a main method. */
    protected final void start(String[] args) {
        int status = run(List.of(args), System.out, System.err);
        if (status != OK) {
            System.exit(status);   // not otherwise: under a launcher, to return is to have ended well
        }
    }

    /** Runs the command; returns its exit code. Arguments {@code --pgas.key=value} become system properties. */
    public final int run(List<String> args, PrintStream standardOutput, PrintStream standardError) {
        out = standardOutput;
        err = standardError;
        int status = execute(args);
        if (!out.checkError()) {
            return status;
        }
        complain("standard output: not all results could be written");
        return status == OK ? WRONG : status;
    }

    private int execute(List<String> args) {
        CommandLine line = new CommandLine(this).setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        try {
            var parsed = line.parseArgs(takeSettings(args));
            if (CommandLine.printHelpIfRequested(parsed)) {
                return OK;
            }
            takeRanks(parsed.hasMatchedOption("--ranks"));
            Pgas.run(checkedConfig(), this::program);
            return code;
        } catch (ParameterException | UsageException e) {
            complain(e.getMessage());
            err.println("Try '" + name() + " --help'.");
            return USAGE;
        } catch (SegmentMemoryException | OutOfMemoryError e) {
            complain("no memory: " + e.getMessage());
            return USAGE;
        } catch (PgasException e) {
            if (e.getCause() instanceof OutOfMemoryError) {
                complain("no memory: " + e.getMessage());
                return USAGE;
            }
            if (e.exitCode() == WRONG) {
                throw e;   // unexpected: Java prints its trace, or the launcher has
            }
            complain(e.getMessage());
            return e.exitCode();
        }
    }

    private static String[] takeSettings(List<String> args) {
        return args.stream().filter(arg -> {
            int equals = arg.indexOf('=');
            if (!arg.startsWith(SETTING) || equals < 0) {
                return true;
            }
            System.setProperty(arg.substring(2, equals), arg.substring(equals + 1));
            return false;
        }).toArray(String[]::new);
    }

    /** From the settings, else the option, else the default. */
    private void takeRanks(boolean option) {
        PgasConfig given = new PgasConfig().conclude();
        OptionCheck.atLeast(1, "--ranks", ranks);
        ranksGiven = option;
        if (given.isSet(PgasKey.RANKS) && !given.isAuto(PgasKey.RANKS)) {
            if (option && ranks != given.count(PgasKey.RANKS)) {
                throw new UsageException("--ranks " + ranks + ", but the job has " + given.count(PgasKey.RANKS) + " ranks ("
                        + PgasKey.RANKS.property() + " from " + given.source(PgasKey.RANKS) + "); give one of them");
            }
            ranks = given.count(PgasKey.RANKS);
            ranksGiven = true;
        }
    }

    /** Values that no program takes, or that overflow in it, are options that are wrong. */
    private PgasConfig checkedConfig() {
        try {
            if (device != null && !device.matches("auto|host|cuda")) {
                throw new UsageException("--device " + device + " (expected: auto, host or cuda)");
            }
            return config();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new UsageException(e.getMessage(), e);
        }
    }

    /** Number of ranks of a job without a launcher, and its most with one that {@link #ranksGiven()} does not know of. */
    protected final int ranks() {
        return ranks;
    }

    /** True if an option or a setting gives the number of ranks; otherwise a launcher may give fewer or more. */
    protected final boolean ranksGiven() {
        return ranksGiven;
    }

    /** The same settings, with the device of the option. */
    protected final PgasConfig onDevice(PgasConfig config) {
        return device == null ? config : config.set(PgasKey.DEVICE, device);
    }

    /** Device of the option; null if not given. */
    protected final String device() {
        return device;
    }

    /** True if results are lines of JSON rather than a table. */
    protected final boolean json() {
        return json;
    }

    protected final PrintStream out() {
        return out;
    }

    protected final PrintStream err() {
        return err;
    }

    /** On rank 0: prints a result; one that is wrong makes the exit code {@link #WRONG}. */
    protected final void report(Rank rank, RunSettings runs, JsonLine result, boolean right) {
        report(rank, job(rank).add("blocks", runs.blocks()).add("threads", runs.threads()).add("proxy", runs.proxy())
                .add("runs", runs.runs()), result, right);
    }

    /** As {@link #report(Rank, RunSettings, JsonLine, boolean)}, of an example without blocks. */
    protected final void report(Rank rank, JsonLine result, boolean right) {
        report(rank, job(rank).add("processes", rank.processes()), result, right);
    }

    private JsonLine job(Rank rank) {
        return new JsonLine().add("example", name()).add("device", rank.device().backend().toString()).add("ranks", rank.ranks());
    }

    private void report(Rank rank, JsonLine job, JsonLine result, boolean right) {
        if (rank.rank() == 0) {
            if (json) {
                out.println(job.addAll(result));
            } else {
                out.print(headed ? "" : job.describe() + "\n\n" + result.heading() + "\n");
                out.println(result.cells());
                headed = true;
            }
            out.flush();
            if (!right) {
                wrong("the result is wrong: " + result);
            }
        }
    }

    /** Makes the exit code {@link #WRONG}. */
    protected final void wrong(String message) {
        complain(message);
        code = WRONG;
    }

    private void complain(String message) {
        err.println(name() + ": " + message);
    }

    private String name() {
        return getClass().getAnnotation(Command.class).name();
    }
}
