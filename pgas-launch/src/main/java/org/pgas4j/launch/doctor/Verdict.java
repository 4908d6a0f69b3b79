package org.pgas4j.launch.doctor;

import java.util.Locale;
import org.pgas4j.bootstrap.stats.JsonText;

/**
 * Result of a check.
 *
 * @param what  was checked, a few words
 * @param value that was found, one line
 * @param todo  the one thing to do; empty if all is well
 */
public record Verdict(Level level, String what, String value, String todo) {

    /** Severity. */
    public enum Level {
        /** Nothing to do. */
        OK("ok"),
        /** Jobs run, some of them slower or not with all they could have. */
        WARN("warn"),
        /** Jobs do not run. */
        FAIL("FAIL");

        private final String text;

        Level(String text) {
            this.text = text;
        }
    }

    /** All is well. */
    static Verdict ok(String what, String value) {
        return new Verdict(Level.OK, what, oneLine(value), "");
    }

    /** Jobs run, but. */
    static Verdict warn(String what, String value, String todo) {
        return new Verdict(Level.WARN, what, oneLine(value), todo);
    }

    /** Jobs do not run. */
    static Verdict fail(String what, String value, String todo) {
        return new Verdict(Level.FAIL, what, oneLine(value), todo);
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    /** {@code warn  what: value  -> what to do}. */
    public String line() {
        return String.format(Locale.ROOT, "%-4s  %s: %s%s", level.text, what, value,
                todo.isEmpty() ? "" : "  -> " + todo);
    }

    /** An object on one line. */
    public String json() {
        return "{\"level\":" + JsonText.quoted(level.text) + ",\"what\":" + JsonText.quoted(what) + ",\"value\":"
                + JsonText.quoted(value) + ",\"todo\":" + JsonText.quoted(todo) + "}";
    }
}
