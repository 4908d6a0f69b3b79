package org.pgas4j.launch;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A POSIX shell on a host that takes one line at a time: the next one is sent when it has answered, so that it never reads
 * the input of a command it starts. Nothing that is sent is an argument of a process.
 */
final class RemoteShell {

    /** In front of each line that is an answer; other lines are those of the host itself. */
    static final String MARK = "PGAS4J ";

    private static final int MAX_LINE = 64 << 10;
    private static final String DONE = "done";

    private final InputStream from;
    private final OutputStream to;
    private final Consumer<String> others;

    /** @param others receives lines that are no answers */
    RemoteShell(InputStream from, OutputStream to, Consumer<String> others) {
        this.from = from;
        this.to = to;
        this.others = others;
    }

    /** Runs a line; returns the words of {@link #reply}. */
    List<String> run(String script) throws IOException {
        send(script + "\n" + reply(DONE) + "\n");
        List<String> answers = new ArrayList<>();
        for (String answer = answer(); !answer.equals(DONE); answer = answer()) {
            answers.add(answer);
        }
        return answers;
    }

    /** A command that prints a word as an answer. */
    static String reply(String word) {
        return "echo '" + MARK + "'" + quote(word);
    }

    static String quote(String word) {
        return RankCommand.quoted(List.of(word));
    }

    /** Copies a file there. The name is quoted already. */
    void copy(Path file, String name) throws IOException {
        long bytes = Files.size(file);
        send(reply("send") + "; head -c " + bytes + " > " + name + "; [ \"$(wc -c < " + name + ")\" -eq " + bytes
                + " ] && touch -d @" + Files.getLastModifiedTime(file).toMillis() / 1_000 + " " + name + "; "
                + reply("copied") + "\n");
        if (!answer().equals("send")) {
            throw new IOException("the shell does not take " + file);
        }
        Files.copy(file, to);
        to.flush();
        if (!answer().equals("copied")) {
            throw new IOException("the shell has not taken " + file);
        }
    }

    /** Replaces the shell by a command; returns when it has printed {@code hello}. */
    void become(String command, String hello) throws IOException {
        send("exec " + command + "\n");
        for (String line = line(); !line.equals(hello); line = line()) {
            others.accept(line);
        }
    }

    private void send(String text) throws IOException {
        to.write(text.getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    private String answer() throws IOException {
        while (true) {
            String line = line();
            if (line.startsWith(MARK)) {
                return line.substring(MARK.length());
            }
            others.accept(line);
        }
    }

    private String line() throws IOException {
        byte[] line = new byte[MAX_LINE];
        int length = 0;
        for (int next = from.read(); next != '\n' && length < MAX_LINE; next = from.read()) {
            if (next < 0) {
                throw new EOFException("the shell has ended");
            }
            line[length++] = (byte) next;
        }
        return new String(line, 0, length, StandardCharsets.UTF_8).stripTrailing();
    }
}
