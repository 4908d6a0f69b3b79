package org.pgas4j.examples.common;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgas4j.launch.command.Version;

/**
 * How a run of a command inside a test ended. The checks throw {@link AssertionError} with all that was printed.
 *
 * @param code exit code
 * @param out  what it printed on standard output
 * @param err  what it printed on standard error
 */
public record Ended(int code, String out, String err) {

    private static final int COLUMNS = 80;

    /** Takes nothing, as a full disk does. */
    private static final class FullDisk extends OutputStream {

        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    /** A command with its streams given. */
    @FunctionalInterface
    public interface Command {
        /** Returns the exit code. */
        int run(List<String> args, PrintStream out, PrintStream err);
    }

    /** Runs a command. */
    public static Ended of(Command command, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = command.run(List.of(args), new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Ended(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** As {@link #of}, on the host device unless the arguments name one. */
    public static Ended onHost(Command command, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        if (!all.contains("--device")) {
            all.addAll(0, List.of("--device", "host"));
        }
        return of(command, all.toArray(String[]::new));
    }

    /** Ended with 0 and printed so many lines. */
    public Ended requireLines(int count) {
        require(code == Example.OK, "exit code 0");
        require(out.lines().count() == count, count + " lines of output");
        return this;
    }

    /** Ended with 0, and so many lines end with {@code end}. */
    public Ended requireEnds(int count, String end) {
        require(code == Example.OK, "exit code 0");
        require(out.lines().filter(line -> line.endsWith(end)).count() == count, count + " lines that end with " + end);
        return this;
    }

    /** {@code text} is in every line of the output, and there is one. */
    public Ended requireInEachLine(String text) {
        require(!out.isEmpty() && out.lines().allMatch(line -> line.contains(text)), "in every line: " + text);
        return this;
    }

    /** Of the output; empty if there is none. */
    public String lastLine() {
        return out.lines().reduce("", (_, last) -> last);
    }

    /** The value of {@code key} in the last line of the output, a flat JSON object; quotation marks are taken off. */
    public String value(String key) {
        Matcher matcher = Pattern.compile("\"" + Pattern.quote(key) + "\": \"?([^,\"}]+)")
                .matcher(lastLine());
        require(matcher.find(), "a value of " + key + " in the last line");
        return matcher.group(1);
    }

    /** Refused: code 2, nothing on standard output, one clear message that starts so, no stack trace. */
    public void requireRefused(String start) {
        require(code == Example.USAGE, "exit code 2");
        require(err.startsWith(start), "an error that starts with " + start);
        require(!err.contains("\tat "), "no stack trace");
        require(out.isEmpty(), "no output");
    }

    /**
     * The command {@code name} has help with this option and its exit codes, within {@value #COLUMNS} columns, the version of all
     * commands, fails if its output cannot be written, and refuses settings there are not.
     */
    public static void requireStandards(String name, Command command, String option) {
        Ended help = of(command, "--help");
        help.require(help.code == Example.OK && help.out.contains(option) && help.out.contains("Exit codes:"),
                "help with " + option + " and exit codes");
        Ended version = of(command, "--version");
        version.require(version.code == Example.OK && version.out.equals(Version.text() + System.lineSeparator()), "the version");
        help.require(help.out.lines().allMatch(line -> line.length() <= COLUMNS), "help within " + COLUMNS + " columns");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int full = command.run(List.of("--help"), new PrintStream(new FullDisk()), new PrintStream(err, true, StandardCharsets.UTF_8));
        new Ended(full, "", err.toString(StandardCharsets.UTF_8)).require(full == Example.WRONG
                && err.toString(StandardCharsets.UTF_8).startsWith(name + ": standard output: "), "exit code 1 on a full disk");
        try {
            of(command, "--pgas.rnaks=3").requireRefused(name + ": unknown setting pgas.rnaks (maybe: pgas.ranks?)");
        } finally {
            System.clearProperty("pgas.rnaks");
        }
    }

    private void require(boolean good, String expected) {
        if (!good) {
            throw new AssertionError("expected " + expected + "\nexit code " + code + "\nstandard output:\n" + out
                    + "\nstandard error:\n" + err);
        }
    }
}
