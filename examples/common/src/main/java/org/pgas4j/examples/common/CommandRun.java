package org.pgas4j.examples.common;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A run of a command inside a test, after its end. The checks throw {@link AssertionError} with all that was printed.
 *
 * @param code exit code
 * @param out  standard output
 * @param err  standard error
 */
public record CommandRun(int code, String out, String err) {

    private static final int COLUMNS = 80;

    /** Runs a command on the host device unless the arguments name one. */
    public static CommandRun of(Example command, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        if (!all.contains("--device")) {
            all.addAll(0, List.of("--device", "host"));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = command.run(all, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new CommandRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Ended with 0. */
    public CommandRun requireOk() {
        require(code == Example.OK, "exit code 0");
        return this;
    }

    /** Ended with 0 and so many lines, all of which have this text. */
    public CommandRun requireLines(int count, String text) {
        requireOk().require(out.lines().count() == count && out.lines().allMatch(line -> line.contains(text)),
                count + " lines with " + text);
        return this;
    }

    /** Last line of the output; empty if there is none. */
    public String lastLine() {
        return out.lines().reduce("", (_, last) -> last);
    }

    /** The value of {@code key} in the last line of the output, a flat JSON object; quotation marks are taken off. */
    public String value(String key) {
        Optional<String> value = JsonLine.value(lastLine(), key);
        require(value.isPresent(), "a value of " + key + " in the last line");
        return value.get();
    }

    /** Refused: code 2, nothing on standard output, one clear message that starts so, no stack trace. */
    public void requireRefused(String start) {
        require(code == Example.USAGE, "exit code 2");
        require(err.startsWith(start), "an error that starts with " + start);
        require(!err.contains("\tat "), "no stack trace");
        require(out.isEmpty(), "no output");
    }

    /** {@code --help} has this option and the exit codes, within {@value #COLUMNS} columns. */
    public static void requireHelp(Example command, String option) {
        CommandRun help = of(command, "--help").requireOk();
        help.require(help.out.contains(option) && help.out.contains("Exit codes:"), "help with " + option + " and exit codes");
        help.require(help.out.lines().allMatch(line -> line.length() <= COLUMNS), "help within " + COLUMNS + " columns");
    }

    private void require(boolean good, String expected) {
        if (!good) {
            throw new AssertionError("expected " + expected + "\nexit code " + code + "\nstandard output:\n" + out
                    + "\nstandard error:\n" + err);
        }
    }
}
