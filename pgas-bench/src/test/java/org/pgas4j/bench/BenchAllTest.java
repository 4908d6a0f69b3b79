package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.bench.result.Output;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;

class BenchAllTest {

    @TempDir
    private Path dir;

    private static int run(String... args) {
        return BenchAll.command().execute(args);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "                                   | no study given; see scripts/bench --help",
        "memputs                            | unknown study 'memputs' (expected: ",
        "memput all                         | unknown study 'all' (expected: ",
        "memput --no-such-option            | Unknown option: '--no-such-option'; see scripts/bench --help",
        "memput --hosts a,a                 | --hosts a,a (expected: two different ones)",
        "memput --hosts a,b --processes 1   | --processes and --hosts exclude each other",
        "memput --rsh ssh                   | --rsh is of use with --hosts only",
        "rma --memory foo                   | --memory foo (expected: host, device or both)",
        "rma --warmup abc                   | --warmup abc (expected: a time such as 500ms, with a unit us, ms or s, or auto)",
        "memput --ranks 3                   | study memput with 3 ranks (expected: an even number)",
        "rma -n 4                           | study rma with 4 ranks (expected: 2)",
        "stencil -n 1                       | study stencil with 1 ranks (expected: 2 or more)",
        "notify --ranks 1                   | study notify with 1 ranks (expected: 2 or more)",
        "barrier --ranks 2,4 --processes 3  | --processes 3 with 2 ranks (expected: 1..2)",
        "all --ranks 4                      | --ranks 4 with all (expected: ",
        "peers --ranks 1                    | --ranks 1, --seconds 120 (expected: ",
        "memput --sizes 1kb                 | Invalid value for option '--sizes' (BYTES): 1kb (expected: a number > 0",
        "memput --sizes 0                   | Invalid value for option '--sizes' (BYTES): 0 (expected: ",
        "memput --sizes 8589934592g         | Invalid value for option '--sizes' (BYTES): 8589934592g (expected: ",
        "helper --kernels fast              | Invalid value for option '--kernels' (MS): 'fast' is not a double",
        "plot --in /nope --out /tmp         | no results /nope; see scripts/bench --help",
        "plot --in / --out /tmp             | cannot read results /: ",
        "page /nope.md                      | no page /nope.md; see scripts/bench --help",
    })
    void refusesWhatItDoesNotKnowInOneLine(String args, String message) {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            assertEquals(2, run(args == null ? new String[0] : args.split(" +")));
        } finally {
            System.setErr(before);
        }
        String told = err.toString(StandardCharsets.UTF_8);
        assertTrue(told.startsWith("bench: " + message), told);
        assertEquals(1, told.lines().count(), told);
    }

    @Test
    void takesSizesAsSettingsHaveThem() {
        SizeConverter sizes = new SizeConverter();
        assertEquals(List.of(1L, 8L << 10, 1L << 20, 2L << 30), Stream.of("1", "8k", "1M", "2g").map(sizes::convert).toList());
    }

    @Test
    void helpFitsTheScreenAndVersionsAreAlike() {
        List<CommandLine> all = new ArrayList<>(List.of(BenchAll.command(), new CommandLine(new Bench())));
        all.addAll(all.getFirst().getSubcommands().values());
        for (CommandLine command : all) {
            String help = command.getUsageMessage();
            assertTrue(help.lines().allMatch(line -> line.length() <= 80), help);
            ByteArrayOutputStream version = new ByteArrayOutputStream();
            command.printVersionHelp(new PrintStream(version, true, StandardCharsets.UTF_8));
            assertEquals(Version.text(), version.toString(StandardCharsets.UTF_8).strip(), command.getCommandName());
        }
    }

    @Test
    void failsIfResultsCannotBeWritten() throws Exception {
        Output output = new Output(Output.Format.TABLE, false, Path.of("/dev/full"),
                new PrintStream(OutputStream.nullOutputStream()));
        assertThrows(UncheckedIOException.class, output::finish);
        Path err = dir.resolve("err");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), BenchAll.class.getName(), "--version")
                .redirectOutput(new File("/dev/full")).redirectError(err.toFile()).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(1, process.exitValue());
        assertEquals("bench: standard output: not all of it could be written\n", Files.readString(err));
    }

    @Test
    void startsJvmsAndKeepsWhatTheyFind() throws IOException {
        Path csv = dir.resolve("all.csv");
        assertEquals(0, run("memget", "--quick", "--device", "host", "--routes", "auto", "--processes", "1", "--sizes", "1,64",
                "--commit", "0123abc", "--csv=" + csv, "--out", dir.toString()));
        List<Row> rows = Row.read(dir.resolve("memget.jsonl"));
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
