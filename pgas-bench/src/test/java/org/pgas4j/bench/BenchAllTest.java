package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.UsageException;
import picocli.CommandLine;

class BenchAllTest {

    @TempDir
    private Path dir;

    private static int run(String... args) {
        CommandLine command = new CommandLine(new BenchAll());
        command.setExecutionExceptionHandler((e, _, _) -> e instanceof UsageException ? 2 : 70);
        return command.execute(args);
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertEquals(2, run());
        assertEquals(2, run("memputs"));
        assertEquals(2, run("memput", "all"));
        assertEquals(2, run("memput", "--no-such-option"));
        assertEquals(2, run("memput", "--hosts", "a,a"));
        assertEquals(2, run("memput", "--hosts", "a,b", "--processes", "1"));
        assertEquals(2, run("memput", "--rsh", "ssh"));
    }

    @Test
    void startsJvmsAndKeepsWhatTheyFind() throws IOException {
        Path csv = dir.resolve("all.csv");
        assertEquals(0, run("memget", "--quick", "--device", "host", "--routes", "auto", "--processes", "1", "--sizes", "1,64",
                "--commit", "0123abc", "--csv=" + csv, "--out", dir.toString()));
        List<Row> rows = PlotCommand.read(dir.resolve("memget.jsonl"));
        assertEquals(6, rows.size());
        assertEquals("route=auto", rows.getFirst().text(Row.SETTING));
        assertEquals(Files.readAllLines(csv), Files.readAllLines(dir.resolve("memget.csv")));
        assertEquals(7, Files.readAllLines(csv).size());
        String page = Files.readString(dir.resolve("index.md"));
        assertTrue(page.contains("- commit: 0123abc") && page.contains("- machine: ") && page.contains(
                "    scripts/bench memget --quick --device host --routes auto --processes 1 --sizes 1,64 --out DIR"), page);
        assertTrue(Files.exists(dir.resolve("memget.png")));
    }

    /** A command that starts the shell here stands for the two hosts, which the launcher takes for two nodes. */
    @Test
    void startsAHostEachAndPassesTheShellOn() throws IOException {
        Path asked = dir.resolve("asked");
        Path shell = dir.resolve("shell");
        Files.writeString(shell, "#!/bin/sh\necho \"$1\" >> " + asked + "\nexit 7\n");
        assertTrue(shell.toFile().setExecutable(true));

        assertEquals(10, run("memget", "--quick", "--device", "host", "--routes", "auto", "--hosts", "one,two", "--rsh",
                shell.toString(), "--json"));

        assertEquals(List.of("one", "two"), Files.readAllLines(asked).stream().distinct().sorted().toList());
    }

    @Test
    void statusOfALaunchThatFails() {
        assertEquals(2, run("memget", "--device", "host", "--routes", "nowhere", "--json"));
    }
}
