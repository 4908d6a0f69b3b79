package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

class CompareTest {

    @TempDir
    private Path dir;

    private Path run(String name, int launches, double factor, String commit) throws IOException {
        List<String> rows = new ArrayList<>();
        for (int repeat = 0; repeat < launches; repeat++) {
            for (long bytes : new long[] {8, 64}) {
                double us = bytes * (1 + 0.01 * repeat) * (bytes == 64 ? factor : 1);
                rows.add(Provenance.ofProgram(commit).stamp(new Row("memput", "memput", "device", "device", "fastpath", 2, bytes,
                        new SampleTimes(us, us, us, us, us, 100, 1), Double.NaN, 0, Map.of()).with(Row.REPEAT, repeat)).json());
            }
        }
        Path file = dir.resolve(name);
        Files.write(file, rows);
        return file;
    }

    private static int compare(ByteArrayOutputStream told, Object... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        System.setOut(new PrintStream(told, true, StandardCharsets.UTF_8));
        System.setErr(System.out);
        try {
            List<String> words = new ArrayList<>(List.of("compare"));
            for (Object arg : args) {
                words.add(arg.toString());
            }
            return BenchAll.command().execute(words.toArray(String[]::new));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    @Test
    void shouldFailAtAGateThatOneLineIsBeyond() throws IOException {
        Path before = run("before.jsonl", 6, 1, "a");
        Path slower = run("slower.jsonl", 6, 1.2, "b");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        assertEquals(3, compare(told, before, slower, "--gate", 5));
        String text = told.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("| memput memput device to device 64, fastpath, 2 JVMs | ") && text.contains("| 1.200 | ")
                && text.contains("| 1.000 | slower |") && text.contains("| alike |") && text.contains(" 1 beyond the gate"), text);
        assertEquals(0, compare(told, before, slower, "--gate", 25));
        assertEquals(0, compare(told, slower, before, "--gate", 5));
        assertEquals(0, compare(told, before, slower));
        assertEquals(3, compare(told, before, slower, "--gate", 5, "--json"));
    }

    @Test
    void shouldRefuseAGateThatJudgesNothing() throws IOException {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        Path before = run("before.jsonl", 4, 1, "a");
        assertEquals(2, compare(told, before, run("slower.jsonl", 4, 9, "b"), "--gate", 5));
        assertTrue(told.toString(StandardCharsets.UTF_8).contains("--gate 5.0 needs 5 launches"));
        Path empty = Files.createDirectory(dir.resolve("empty"));
        assertEquals(2, compare(told, before, empty));
    }
}
