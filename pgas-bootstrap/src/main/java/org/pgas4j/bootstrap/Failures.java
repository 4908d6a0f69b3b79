package org.pgas4j.bootstrap;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;

/** Failures of this JVM's ranks and of its main thread: how they are named, and each printed once. Thread-safe. */
public final class Failures {

    private static final int USER_EXCEPTION = 1;
    private static final int OUT_OF_MEMORY = 3;

    /** Wrong usage, not found, refused, no device: the message says it all and a stack trace would only hide it. */
    private static final Set<Integer> ONE_LINE = Set.of(2, 10, 11, 14);
    private static final int MAX_CAUSES = 32;

    private static final Set<Throwable> PRINTED = Collections.newSetFromMap(new IdentityHashMap<>());
    private static final Set<Origin> ORIGINS = new HashSet<>();

    /** Ranks that fail at the same place print one trace. */
    private record Origin(String type, List<StackTraceElement> frames) {
    }

    private Failures() {
    }

    /** The code a process ends with because of {@code failure}, as docs/errors.md. */
    public static int exitCode(Throwable failure) {
        return failure instanceof PgasException known ? known.exitCode()
                : failure instanceof OutOfMemoryError ? OUT_OF_MEMORY : USER_EXCEPTION;
    }

    /** True if {@code failure} tells of another one, which its rank or the launcher prints. */
    public static boolean isEcho(Throwable failure) {
        return failure instanceof JobAbortedException || failure instanceof PeerLostException;
    }

    /** The job's failure by this one. */
    public static Abort abort(int rank, String where, String phase, Throwable failure) {
        return new Abort(rank, where, phase, FailureText.line(failure), exitCode(failure), false);
    }

    /**
     * Prints a failure of the calling thread that is about to become the job's, and so the last line of the launcher: its
     * stack trace, or where that line says it all nothing. Once for each failure, and once for each place that fails. An
     * output that nobody reads does not hold up the job's end.
     */
    public static synchronized void print(Throwable failure) {
        if (isEcho(failure) || isPrinted(failure)) {
            return;
        }
        PRINTED.add(failure);
        if (ONE_LINE.contains(exitCode(failure))) {
            String whole = FailureText.whole(failure);
            if (!whole.equals(FailureText.line(failure))) {
                say("pgas4j: " + whole + System.lineSeparator());
            }
        } else if (ORIGINS.add(new Origin(failure.getClass().getName(), Arrays.asList(FailureText.frames(failure))))) {
            say(FailureText.trace(Thread.currentThread().getName(), failure));
        }
    }

    /** Prints a failure that no line of the launcher will tell. */
    public static void printAlone(Throwable failure) {
        say(ONE_LINE.contains(exitCode(failure)) ? "pgas4j: " + FailureText.whole(failure) + System.lineSeparator()
                : FailureText.trace(Thread.currentThread().getName(), failure));
    }

    /** Goes on after a while if the text is not taken. */
    private static void say(String text) {
        FailureText.ask(() -> {
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
