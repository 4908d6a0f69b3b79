package org.pgas4j.bootstrap;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.pgas4j.ExitCode;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;

/** Failures of this JVM's threads: code and line of each, and each printed once. Thread-safe. */
public final class Failures {

    /** The message is complete and a stack trace would only hide it. */
    private static final Set<ExitCode> WITHOUT_TRACE = EnumSet.of(ExitCode.USAGE, ExitCode.BOOTSTRAP, ExitCode.REFUSED,
            ExitCode.DEVICE);
    private static final int MAX_CAUSES = 32;

    private static final Set<Throwable> PRINTED = Collections.newSetFromMap(new IdentityHashMap<>());
    private static final Set<Origin> ORIGINS = new HashSet<>();

    /** Ranks that fail at the same place print one trace. */
    private record Origin(String type, List<StackTraceElement> frames) {
    }

    private Failures() {
    }

    /**
     * A failure as the rest of the job sees it.
     *
     * @param exitCode of a process that ends with it, an {@link ExitCode} or the program's own
     * @param line     the message of our own exceptions, class and message of others
     */
    public record Report(int exitCode, String line) {
    }

    /** Code and line of a failure, whichever thread it ended. */
    public static Report of(Throwable failure) {
        return new Report(exitCode(failure), FailureText.line(failure));
    }

    /** Code of a process that ends with {@code failure}. */
    public static int exitCode(Throwable failure) {
        return failure instanceof PgasException known ? known.exitCode()
                : (failure instanceof OutOfMemoryError ? ExitCode.OUT_OF_MEMORY : ExitCode.PROGRAM).number();
    }

    /** True if {@code failure} is the consequence of another one, which its rank or the launcher prints. */
    public static boolean isEcho(Throwable failure) {
        return failure instanceof JobAbortedException || failure instanceof PeerLostException;
    }

    /** The job's failure, caused by this one on a rank. */
    public static Abort abort(int rank, String where, Phases phases, Throwable failure) {
        Report report = of(failure);
        return new Abort(rank, where, phases, report.line(), report.exitCode(), false);
    }

    /** The job's failure, caused by this one on a rank in one phase. */
    public static Abort abort(int rank, String where, Phase phase, Throwable failure) {
        return abort(rank, where, Phases.all(phase), failure);
    }

    /**
     * Prints a failure of the calling thread that is about to become the job's, and so the last line of the launcher: its
     * stack trace, or nothing where that line is complete. Once for each failure, and once for each place that fails.
     * An output without reader does not delay the job's end.
     */
    public static synchronized void print(Throwable failure) {
        if (isEcho(failure) || isPrinted(failure)) {
            return;
        }
        PRINTED.add(failure);
        if (isWithoutTrace(failure)) {
            String whole = FailureText.whole(failure);
            if (!whole.equals(FailureText.line(failure))) {
                write("pgas4j: " + whole + System.lineSeparator());
            }
        } else if (ORIGINS.add(new Origin(failure.getClass().getName(), Arrays.asList(FailureText.frames(failure))))) {
            write(FailureText.trace(Thread.currentThread().getName(), failure));
        }
    }

    /** Prints a failure that no line of the launcher names. */
    public static void printAlone(Throwable failure) {
        write(isWithoutTrace(failure) ? "pgas4j: " + FailureText.whole(failure) + System.lineSeparator()
                : FailureText.trace(Thread.currentThread().getName(), failure));
    }

    private static boolean isWithoutTrace(Throwable failure) {
        return ExitCode.of(exitCode(failure)).filter(WITHOUT_TRACE::contains).isPresent();
    }

    /** Continues after a while if nothing takes the text. */
    private static void write(String text) {
        FailureText.call(() -> {
            System.err.print(text);
            System.err.flush();
            return true;
        }, _ -> false);
    }

    /** True if {@code failure}, or one that caused it, was printed. */
    private static boolean isPrinted(Throwable failure) {
        Throwable at = failure;
        for (int i = 0; at != null && i < MAX_CAUSES; i++) {
            if (PRINTED.contains(at)) {
                return true;
            }
            at = FailureText.cause(at);
        }
        return false;
    }
}
