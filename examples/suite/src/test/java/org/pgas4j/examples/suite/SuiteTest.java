package org.pgas4j.examples.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.suite.SuiteJobs.Ended;
import org.pgas4j.testkit.harness.ProcessHarness;

@Timeout(300)
class SuiteTest {

    private static final String RIGHT = new JsonLine().add("device", "host").add("expected", "5").add("found", "5")
            .add("right", true).add("ms", 2, 3).toString();
    private static final String WRONG = RIGHT.replace("\"found\": \"5\", \"right\": true", "\"found\": \"6\", \"right\": false");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<List<String>> jobs = new ArrayList<>();

    private int run(SuiteJobs launcher, String... args) {
        return Suite.execute(new Suite(launcher, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)), args);
    }

    /** A launcher all of whose jobs end so. */
    private SuiteJobs ending(int code, String line) {
        return words -> {
            jobs.add(words);
            return new Ended(code, line);
        };
    }

    @Test
    void shouldRunEveryProgramInEveryJob() {
        assertEquals(0, run(ending(0, RIGHT), "--class", "w", "--device", "host"));

        assertEquals(0, jobs.size() % 5);
        assertTrue(jobs.size() >= 14 * 5, jobs.toString());
        assertEquals(1 + jobs.size(), out.toString(StandardCharsets.UTF_8).lines().count());
        assertTrue(jobs.stream().allMatch(words -> String.join(" ", words).contains("--class W --runs 3 --json")),
                jobs.toString());
        assertTrue(String.join(" ", jobs.getFirst()).startsWith("-n 1 --processes 1 --device host "), jobs.toString());
        assertTrue(out.toString(StandardCharsets.UTF_8).lines().skip(1).allMatch(line -> line.endsWith("  ok")), out.toString());
    }

    @Test
    void shouldPrintTheTimeOnOneRankBesideTheOthers() {
        List<Double> times = new ArrayList<>(List.of(8.0, 4.0));

        assertEquals(0, run(_ -> new Ended(0, RIGHT.replace("2.000", times.removeFirst() + "")), "cg", "--jobs", "2:2,1:1",
                "--json"));

        assertEquals(List.of("{\"program\": \"cg\", \"class\": \"S\", \"ranks\": 1, \"processes\": 1, \"device\": \"host\","
                + " \"check\": \"ok\", \"expected\": \"5\", \"found\": \"5\", \"ms\": 8.000, \"one_rank_ms\": 8.000}",
                "{\"program\": \"cg\", \"class\": \"S\", \"ranks\": 2, \"processes\": 2, \"device\": \"host\", \"check\": \"ok\","
                + " \"expected\": \"5\", \"found\": \"5\", \"ms\": 4.000, \"one_rank_ms\": 8.000}"),
                out.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void shouldFailIfAnAnswerIsWrong() {
        assertEquals(1, run(ending(1, WRONG), "ep", "--jobs", "3:1"));

        assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("wrong: 6 (expected: 5)\n"), out.toString());
        assertTrue(err.toString(StandardCharsets.UTF_8).endsWith("suite: 0 of 1 runs have the right answer\n"));
    }

    @ParameterizedTest
    @CsvSource({"11, ''", "3, right"})
    void shouldFailIfAJobFails(int code, String result) {
        assertEquals(1, run(ending(code, result.equals("right") ? RIGHT : ""), "ep", "--jobs", "1:1"));

        assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("failed " + code + "\n"), out.toString(StandardCharsets.UTF_8));
    }

    /** A check that lets a spoiled value pass is as bad as a wrong answer; so is a job that fails for another reason. */
    @Test
    void shouldFailIfAPlantedFaultIsNotNoticed() {
        assertEquals(0, run(ending(1, WRONG), "ep", "is", "--planted"));
        assertEquals(1, run(ending(0, RIGHT), "ep", "--planted"));
        assertEquals(1, run(ending(11, ""), "ep", "--planted"));

        assertTrue(jobs.stream().allMatch(words -> words.getLast().equals("--planted")), jobs.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "cgg              | unknown program 'cgg' (expected: synch-p2p, ",
        "--device tpu     | --device tpu (expected: auto, host or cuda)",
        "--class B        | Invalid value for option '--class'",
        "--runs 0         | --runs 0 (expected: >= 1)",
        "--jobs 2         | Invalid value for option '--jobs' (RANKS:JVMS): 2 (expected: RANKS:JVMS, such as 4:2)",
        "--jobs 1:2       | Invalid value for option '--jobs' (RANKS:JVMS): 1:2 (expected: no more JVMs than ranks)",
        "--bogus          | Unknown option: '--bogus'",
    })
    void shouldRefuseWhatItDoesNotKnow(String args, String message) {
        assertEquals(2, run(ending(0, RIGHT), args.split(" +")));

        assertTrue(err.toString(StandardCharsets.UTF_8).startsWith("suite: " + message), err.toString(StandardCharsets.UTF_8));
        assertEquals(List.of(), jobs);
    }

    @Test
    void shouldPrintHelpWithAllProgramsThatFitsTheScreen() {
        assertEquals(0, run(null, "--help"));
        run(ending(0, RIGHT), "no-such-program");

        String help = out.toString(StandardCharsets.UTF_8);
        String known = err.toString(StandardCharsets.UTF_8).lines().findFirst().orElseThrow().replaceAll(".*expected: |\\)", "");
        assertTrue(help.lines().allMatch(line -> line.length() <= 80), help);
        for (String program : known.split(", ")) {
            assertTrue(help.contains(program), program + " in " + help);
        }
    }

    @Test
    void shouldGiveTheOptionsOfAProgram() {
        assertEquals(0, run(ending(0, RIGHT), "cg-device", "--jobs", "2:1"));

        assertTrue(String.join(" ", jobs.getFirst()).endsWith(".npb.Cg --device-memory --class S --runs 3 --json"),
                jobs.toString());
    }

    /** Jobs of the launcher with one compiler. */
    private static Ended launched(List<String> words) throws IOException, InterruptedException {
        ProcessHarness.Result result = ProcessHarness.launchQuick(words, Duration.ofSeconds(300));
        String json = result.output().lines().filter(line -> line.startsWith("{")).reduce("", (_, line) -> line);
        return new Ended(result.exitCode(), json);
    }

    /** The same job in this JVM. */
    private static Ended here(List<String> words) {
        int program = program(words);
        List<String> args = new ArrayList<>(List.of("--ranks", words.get(words.indexOf("-n") + 1)));
        args.addAll(words.subList(program + 1, words.size()));
        return SuiteRuns.run(words.get(program), args);
    }

    /** Index of the main class. */
    private static int program(List<String> words) {
        return IntStream.range(0, words.size()).filter(i -> words.get(i).startsWith("org.pgas4j.")).findFirst().orElseThrow();
    }

    @Tag("slow")
    @Tag("multiprocess")
    @Test
    @Timeout(300)
    void shouldStartTheLauncher() {
        assertEquals(0, run(null, "ep", "--device", "host", "--jobs", "2:2", "--runs", "1"), out + "\n" + err);
    }

    /** Every program in two JVMs: one run of the same job after the other, as JVMs take longer to start than to run. */
    @Tag("slow")
    @Tag("multiprocess")
    @Test
    @Timeout(600)
    void shouldFindAllAnswersInTwoProcesses() throws IOException, InterruptedException {
        String[] options = {"--device", "host", "--jobs", "3:2", "--runs", "1"};
        run(ending(0, RIGHT), options);
        List<String> words = new ArrayList<>(jobs.getFirst().subList(0, program(jobs.getFirst())));
        words.add(SuiteRuns.class.getName());
        jobs.forEach(job -> words.add(String.join(" ", job.subList(program(job), job.size()))));
        ProcessHarness.Result result = ProcessHarness.launchQuick(words, Duration.ofSeconds(300));
        assertEquals(0, result.exitCode(), result.output());
        List<String> lines = new ArrayList<>(result.output().lines().filter(line -> line.startsWith("{")).toList());
        assertEquals(jobs.size(), lines.size(), result.output());

        assertEquals(0, run(_ -> new Ended(0, lines.removeFirst()), options), out + "\n" + err);
    }

    @Tag("slow")
    @Test
    @Timeout(600)
    void shouldNoticeAllSpoiledValues() {
        assertEquals(0, run(SuiteTest::here, "--device", "host", "--jobs", "2:1", "--runs", "1", "--planted"), out + "\n" + err);
    }

    @Tag("slow")
    @Tag("multiprocess")
    @Test
    @Timeout(300)
    void shouldNoticeASpoiledValueOfAJob() {
        assertEquals(0, run(SuiteTest::launched, "ep", "--device", "host", "--jobs", "2:1", "--runs", "1", "--planted"),
                out + "\n" + err);
    }
}
