package org.pgas4j.launch.doctor;

import java.util.Locale;

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
        return "{\"level\":\"" + level.text + "\",\"what\":\"" + escaped(what) + "\",\"value\":\"" + escaped(value)
                + "\",\"todo\":\"" + escaped(todo) + "\"}";
    }

    private static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
