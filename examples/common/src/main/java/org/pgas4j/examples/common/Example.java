package org.pgas4j.examples.common;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.pgas4j.Pgas;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine;

/**
 * A command that starts one job and says with its exit code how that went. A subclass has the options of its own and the two
 * steps: {@link #config()} checks the options, so that wrong ones start nothing, and {@link #program} runs on every rank.
 */
@Command(mixinStandardHelpOptions = true, sortOptions = false, exitCodeListHeading = "%nExit codes:%n")
public abstract class Example {

    public static final int OK = 0;
    public static final int WRONG = 1;
    public static final int USAGE = 2;

    /** Lines of {@link Command#exitCodeList} that are the same for all. */
    public static final String USAGE_CODE = "2:an option is wrong, or memory does not suffice";
    public static final String JOB_CODES =
            "10..15:a failure of the job: bootstrap, refused, peer lost, mismatch, device, timeout";
    /** Of an example that verifies unless told not to. */
    public static final String VERIFIED_CODE = "0:done, and verified unless --no-verify was given";
    public static final String WRONG_CODE = "1:the result is wrong, or a failure without a code of its own";

    /** Of options that are first in the help. */
    protected static final int FIRST = -2;
    private static final int LAST = 1000;

    @Option(names = "--device", paramLabel = "KIND", description = "auto, host or cuda (default: auto)")
    private String device;

    @Option(names = "--json", order = LAST, description = "one JSON object a line")
    private boolean json;

    private final PrintStream out;
    private final PrintStream err;
    private volatile int code = OK;

    /** {@code out} gets results, {@code err} what is wrong. */
    protected Example(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** What the job needs to know; {@link #onDevice} adds what the options here say. */
    protected abstract PgasConfig config();

    /** On every rank. */
    protected abstract void program(Rank rank);

    /** Runs the command; returns its exit code. Arguments {@code --pgas.key=value} become system properties. */
    public final int run(List<String> args) {
        return StandardOutput.checked(execute(args), name(), out, err);
    }

    private int execute(List<String> args) {
        CommandLine line = new CommandLine(this).setCaseInsensitiveEnumValuesAllowed(true);
        try {
            line.parseArgs(Options.takeRuntimeOptions(args));
            if (StandardOutput.informs(line, out)) {
                return OK;
            }
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
            complain(e.getMessage());
            if (e.exitCode() == WRONG && e.getCause() != null) {
                e.getCause().printStackTrace(err);   // nobody foresaw it
            }
            return e.exitCode();
        }
    }

    /** Values that fit no settings, or overflow in them, are options that are wrong. */
    private PgasConfig checkedConfig() {
        try {
            Options.checkDevice(device);
            return config();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new UsageException(e.getMessage(), e);
        }
    }

    /** Ends the JVM with an exit code that is not 0. */
    public static void exit(int code) {
        if (code != OK) {
            System.exit(code);   // not otherwise: under a launcher, to return is to have ended well
        }
    }

    /** The same settings, with the device asked for. */
    protected final PgasConfig onDevice(PgasConfig config) {
        return device == null ? config : config.set(PgasKey.DEVICE, device);
    }

    /** True if the host device was asked for by name. */
    protected final boolean hostAsked() {
        return "host".equals(device);
    }

    /** One line of JSON for each result rather than a table. */
    protected final boolean json() {
        return json;
    }

    /** Prints at once, with a point in numbers. */
    protected final void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
        out.flush();
    }

    protected final void print(JsonLine object) {
        print("%s%n", object);
    }

    /** A result is wrong: says so and makes the exit code {@link #WRONG}. */
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
