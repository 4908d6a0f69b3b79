package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.launch.command.Version;

@Isolated("takes the standard streams")
@Timeout(30)
class PgasRunUsageTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream oldOut = System.out;
    private final PrintStream oldErr = System.err;

    @BeforeEach
    void takeStreams() {
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void giveStreamsBack() {
        System.setOut(oldOut);
        System.setErr(oldErr);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-n 2 --processes 3 Main", "-n 0 Main", "-n -1 Main", "-n x Main", "--processes 0 Main", "",
            "--no-such-option Main", "--device tpu Main", "--heap-host lots Main", "--heap-host -1m Main",
            "--wait-timeout 5 Main", "--timeout 5 Main", "--timeout soon Main", "--grace x Main", "--bind socket Main",
            "-x NO_SUCH_VARIABLE_HERE Main", "-x =1 Main", "-H a,-b Main", "-H a:0 Main", "-H a --hostfile b Main",
            "--hostfile /no/such/file Main", "-H a:1,b:1 -n 4 --processes 3 Main", "--ppn 0 Main",
            "--ppn 2 --processes 3 -n 3 Main", "--wdir /no/such/directory Main", "--bind-to socket Main",
            "-H a --iface no-such-interface Main", "-n 2147483647 Main", "-n 1048577 Main", "-n \u0663 Main",
            "--heap-host 9223372036854775807 Main", "--heap-device 9223372036854775807 Main",
            "--heap-host 1024t Main", "-n 1048576 Main", "-n 1048576 --processes 1048576 Main",
            "-cp no-such.jar Main", "-cp target:no-such-directory/* Main", "-H a -cp no-such.jar Main",
            "--set pgas.heap=1g Main"})
    void shouldRefuseWithStatusTwo(String line) {
        assertEquals(2, PgasRun.run(line.isEmpty() ? new String[0] : line.split(" ")));
        List<String> lines = err.toString(StandardCharsets.UTF_8).lines().toList();
        assertTrue(!lines.isEmpty() && lines.size() <= 3 && lines.getFirst().startsWith("pgas4j: "), lines::toString);
        assertTrue(!err.toString(StandardCharsets.UTF_8).contains("\tat "), () -> err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldNameValuesAndSetting() {
        PgasRun.run("-n", "2", "--processes", "3", "Main");
        PgasRun.run("--timeout", "5", "Main");
        PgasRun.run("--device", "tpu", "Main");
        PgasRun.run("--set", "pgas.device=gpu", "Main");
        PgasRun.run("-n", "2147483647", "Main");
        PgasRun.run("--heap-host", "9223372036854775807", "Main");
        PgasRun.run("-cp", "target:no-such.jar", "Main");
        PgasRun.run("--wdir", "target", "-cp", "target", "Main");

        String text = err.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("-n 2 --processes 3 (expected: 1 <= processes <= ranks)"), text);
        assertTrue(text.contains("--timeout 5: no time with its unit such as 500ms or 30s"), text);
        assertTrue(text.contains("pgas4j: -cp no-such.jar: no such file or directory"), text);
        assertTrue(text.contains("pgas4j: -cp target: no such file or directory"), text); // target/target
        assertTrue(text.contains("'tpu'") && text.contains("auto|host|cuda"), text);
        assertTrue(text.contains("'tpu' from --device ") && text.contains("'gpu' from --set "), text);
        assertTrue(text.contains("-n 2147483647 (expected: 1..1048576)"), text);
        assertTrue(text.contains("'9223372036854775807' from --heap-host "), text);
    }

    @Test
    void shouldFitATerminalOfEightyColumns() {
        PgasRun.run("--help");

        List<String> wide = out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.length() > 80).toList();
        assertEquals(List.of(), wide);
    }

    @Test
    void shouldHelpAndTellItsVersion() {
        assertEquals(0, PgasRun.run("--help"));
        assertEquals(0, PgasRun.run("--version"));

        String text = out.toString(StandardCharsets.UTF_8);
        for (String option : List.of("-n", "--processes", "--device", "--require-gpu", "--heap-host", "--heap-device",
                "--route", "--conduit", "--bind", "--timeout", "--wait-timeout", "--explain", "--explain-kernel",
                "--[no-]tag-output", "-x", "-v", "--dry-run", "-np", "--ppn", "--nproc-per-node", "--host", "--hostfile", "--rsh",
                "--java", "--ship", "--iface", "--output", "--wdir", "--bind-to", "--report-bindings", "--stats", "--stats-json",
                "--trace",
                "--stats-picture", "--java-opt", "-cp", "--clean", Version.text())) {
            assertTrue(text.contains(option), option);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-n 4                              | 1 4",
        "--processes 3                     | 3 3",
        "--ppn 2                           | 2 2",
        "-np 8 --nproc-per-node 2          | 2 8",
        "-H localhost:3                    | 3 3",
        "-H a,b                            | 2 2",
        "-H a:2,b:2 -n 8                   | 4 8",
        "-H a:4,b:4 -n 2                   | 2 2",
        "-H a:4,b:4 --ppn 1 -n 6           | 2 6",
        "-H a,b --processes 6              | 6 6",
    })
    void shouldCountJvmsAndRanks(String options, String expected) {
        List<String> words = new ArrayList<>(List.of(options.strip().split(" ")));
        words.addAll(List.of("--dry-run", "Main"));

        assertEquals(0, PgasRun.run(words.toArray(String[]::new)));

        String text = out.toString(StandardCharsets.UTF_8);
        List<String> jvms = text.lines().filter(line -> line.startsWith("# process ")).toList();
        int last = Integer.parseInt(jvms.getLast().replaceFirst(".*?(\\d+)\\)$", "$1"));
        assertEquals(expected, jvms.size() + " " + (last + 1), text);
    }

    @Test
    void shouldShowTheCommandsForEachHost() {
        assertEquals(0, PgasRun.run("--dry-run", "-H", "me@a:1,b:2", "-n", "6", "--rsh", "ssh -F my.config", "Main"));

        String text = out.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("# host a (ranks 0-1)") && text.contains("ssh -F my.config me@a sh"), text);
        assertTrue(text.contains("# host b (ranks 2-5)") && text.contains("ssh -F my.config b sh"), text);
        assertTrue(text.indexOf("# process 0 (ranks 0-1)") < text.indexOf("# host b")
                && text.indexOf("# host b") < text.indexOf("# process 1 (ranks 2-3)"), text);
    }

    @Test
    void shouldShowTheCommandsOfADryRun() {
        assertEquals(0, PgasRun.run("--dry-run", "-n", "3", "--processes", "2", "--device", "host", "--wait-timeout",
                "5s", "--route", "fastpath", "--explain", "--java-opt=-Xmx1g", "-cp", "my.jar", "org.example.Main", "a b",
                "-n"));

        String text = out.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("# process 0 (ranks 0-1)") && text.contains("# process 1 (rank 2)"), text);
        for (String word : List.of("-Dpgas.ranks=3", "-Dpgas.device=host", "-Dpgas.timeout=5s", "-Dpgas.route=fastpath",
                "-Dpgas.explain=true", "-Xmx1g", "-XX:+ExitOnOutOfMemoryError",
                "--sun-misc-unsafe-memory-access=allow", "-cp my.jar:", " org.pgas4j.launch.RankMain"
                + " org.example.Main 'a b' -n")) {
            assertTrue(text.contains(word), word + " in " + text);
        }
    }
}
