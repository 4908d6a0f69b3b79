package org.pgas4j.bootstrap;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.pgas4j.PgasException;

/**
 * Texts of failures, safe to build and to print whatever the program's exceptions do: their methods have a deadline and
 * may throw, long messages are cut, and control characters, which could steer a terminal, are escaped.
 */
final class FailureText {

    static final long TIMEOUT_MS = 2_000;

    /** Of {@link #line}: less than the control plane carries, so that it arrives as it is. */
    static final int MAX_LINE = 1000;

    /** Of a message in {@link #trace}. */
    static final int MAX_MESSAGE = 8000;

    private static final int MAX_FRAMES = 200;
    private static final int MAX_THROWABLES = 32;

    private FailureText() {
    }

    /** One line: the message of our own exceptions, class and message of others. */
    static String line(Throwable failure) {
        String text = text(failure);
        String first = text.substring(0, Math.min(text.length(), MAX_MESSAGE)).lines().filter(line -> !line.isBlank())
                .findFirst().orElse("").replace('\t', ' ');
        String escaped = escape(first);
        return escaped.length() <= MAX_LINE ? escaped : escaped.substring(0, MAX_LINE - 3) + "...";
    }

    /** The same text in full; it may have several lines. */
    static String whole(Throwable failure) {
        return escape(cut(text(failure)));
    }

    /** Stack trace in the form in which Java prints an uncaught exception. */
    static String trace(String thread, Throwable failure) {
        StringBuilder to = new StringBuilder("Exception in thread \"").append(thread).append("\" ");
        append(to, failure, "", "", new StackTraceElement[0], Collections.newSetFromMap(new IdentityHashMap<>()));
        return to.toString();
    }

    private static void append(StringBuilder to, Throwable failure, String indent, String caption,
                               StackTraceElement[] enclosing, Set<Throwable> seen) {
        to.append(indent).append(caption);
        if (seen.size() == MAX_THROWABLES || !seen.add(failure)) {
            to.append("... ").append(failure.getClass().getName()).append(System.lineSeparator());
            return;
        }
        to.append(escape(cut(call(failure::toString, why -> failure.getClass().getName() + ": its message " + why))))
                .append(System.lineSeparator());
        StackTraceElement[] frames = frames(failure);
        int common = common(frames, enclosing);
        int shown = Math.min(frames.length - common, MAX_FRAMES);
        for (int i = 0; i < shown; i++) {
            to.append(indent).append("\tat ").append(escape(frames[i].toString())).append(System.lineSeparator());
        }
        if (shown < frames.length) {
            to.append(indent).append("\t... ").append(frames.length - shown).append(" more").append(System.lineSeparator());
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            append(to, suppressed, indent + "\t", "Suppressed: ", frames, seen);
        }
        Throwable cause = cause(failure);
        if (cause != null) {
            append(to, cause, indent, "Caused by: ", frames, seen);
        }
    }

    static StackTraceElement[] frames(Throwable failure) {
        return call(failure::getStackTrace, _ -> new StackTraceElement[0]);
    }

    /** The cause of a failure; null without. */
    static Throwable cause(Throwable failure) {
        return FailureText.<List<Throwable>>call(() -> {
            Throwable cause = failure.getCause();
            return cause == null ? List.of() : List.of(cause);
        }, _ -> List.of()).stream().findFirst().orElse(null);
    }

    /** Frames that both end with. */
    private static int common(StackTraceElement[] frames, StackTraceElement[] enclosing) {
        int count = 0;
        while (count < Math.min(frames.length, enclosing.length)
                && frames[frames.length - 1 - count].equals(enclosing[enclosing.length - 1 - count])) {
            count++;
        }
        return count;
    }

    private static String text(Throwable failure) {
        return call(() -> failure instanceof PgasException && failure.getMessage() != null ? failure.getMessage()
                : failure.toString(), why -> failure.getClass().getName() + ": its message " + why);
    }

    private static String cut(String text) {
        return text.length() <= MAX_MESSAGE ? text
                : text.substring(0, MAX_MESSAGE) + "... (" + text.length() + " characters)";
    }

    /** Keeps ends of lines and tabs. */
    private static String escape(String text) {
        if (text.chars().noneMatch(FailureText::isHarmful)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 32);
        text.chars().forEach(c -> {
            if (isHarmful(c)) {
                escaped.append(String.format("\\u%04x", c));
            } else {
                escaped.append((char) c);
            }
        });
        return escaped.toString();
    }

    private static boolean isHarmful(int c) {
        return Character.isISOControl(c) && c != '\n' && c != '\t';
    }

    /**
     * Result of a method that may never return, called on a thread of its own; without result, {@code otherwise} gets
     * the reason. Lines that the method prints are the caller's.
     */
    static <T> T call(Callable<T> task, Function<String, T> otherwise) {
        FutureTask<T> result = new FutureTask<>(() -> Objects.requireNonNull(task.call()));
        boolean interrupted = Thread.interrupted();
        try {
            start(result);
            long deadlineNs = System.nanoTime() + TIMEOUT_MS * 1_000_000;
            while (true) {
                try {
                    return result.get(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException _) {
                    interrupted = true; // kept for the program
                }
            }
        } catch (TimeoutException _) {
            return otherwise.apply("did not come within " + TIMEOUT_MS + " ms");
        } catch (ExecutionException e) {
            return otherwise.apply("cannot be had: " + e.getCause().getClass().getName());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void start(Runnable task) {
        try {
            Thread.ofPlatform().daemon().name("pgas-failure").start(task);
        } catch (OutOfMemoryError _) {
            task.run(); // no thread is available
        }
    }
}
