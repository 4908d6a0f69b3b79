package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.launch.job.Ucx;
import org.pgas4j.launch.job.WaitingTest;

/** How a launched job ends, and what it prints then: each failure once, and the line that names the first one last. */
@Tag("multiprocess")
@Timeout(120)
@Tag("slow")
class EndOfJobTest {

    @TempDir
    private Path folder;

    private Launched job;

    private int run(String options, String... program) throws Exception {
        try (Launched launched = Launched.startProgram(folder, "--heap-host 1m --heap-device 1m " + options, EndingProgram.class,
                program)) {
            job = launched;
            return launched.await();
        }
    }

    private long count(String regex) {
        return Launched.count(regex, job.err);
    }

    private void assertLast(String regex) {
        assertTrue(job.lastError().matches("pgas4j: job ended by " + regex), job.err::toString);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"-n 2", "-n 3 --processes 2", "-n 2 --grace 100ms"})
    void shouldPrintTheTraceWhileOtherRanksCompute(String options) throws Exception {
        assertEquals(1, run(options, "compute"), () -> job.err.toString());

        assertEquals(1, count("^\\[1\\] Exception in thread \"rank-1\" java.lang.ArrayIndexOutOfBoundsException: Index \\d out"),
                job.err::toString);
        assertEquals(1, count("^\\[1\\] \tat .*EndingProgram.mistake\\(EndingProgram.java:\\d+\\)"), job.err::toString);
        assertEquals(0, count("PgasException|Caused by"), job.err::toString);
        assertLast("rank 1 .* in program: java.lang.ArrayIndexOutOfBoundsException: Index . out of bounds for length 1");
        assertEquals(2, count("ArrayIndexOutOfBounds"), job.err::toString);
    }

    @WaitingTest
    void shouldPrintOneTraceForRanksThatFailAtTheSamePlace() throws Exception {
        assertEquals(1, run("-n 4", "all"), () -> job.err.toString());

        assertEquals(1, count("\tat .*EndingProgram.mistake"), job.err::toString);
        assertEquals(2, count("ArrayIndexOutOfBounds"), job.err::toString);
    }

    @WaitingTest
    void shouldNotPrintAgainWhatTheProgramThrowsOn() throws Exception {
        assertEquals(1, run("-n 1", "wrapped"), () -> job.err.toString());

        assertEquals(1, count("\tat .*EndingProgram.mistake"), job.err::toString);
        assertLast("rank 0 .* in program: java.lang.ArrayIndexOutOfBoundsException: .*");
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"-n 2", "-n 2 --processes 2"})
    void shouldEndByAbort(String options) throws Exception {
        assertEquals(2, run(options, "abort", "the grid is odd"), () -> job.err.toString());

        assertEquals(1, job.err.size(), job.err::toString);
        assertLast("rank 1 .* in program: the grid is odd");
    }

    /** The others wait for the lock, or are about to: in other JVMs, in that of the holder, and on another node. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"-n 3 --processes 3, 1, rank 1", "-n 4 --processes 2, 2, ranks 2-3",
        "-n 2 --processes 2 --set pgas.node.processes=1, 1, rank 1"})
    void shouldNameAKilledRankThatHasALock(String options, String holder, String ranks) throws Exception {
        if (options.contains("pgas.node.processes")) {
            Ucx.assume();
        }
        assertEquals(137, run(options, "killed-with-lock", holder), () -> job.err.toString());

        assertLast("rank " + holder + " \\(\\S+ pid \\d+ " + ranks
                + "\\) in .*program.*: process killed by signal 9 \\(SIGKILL\\)");
        assertEquals(1, job.err.size(), job.err::toString);
    }

    @WaitingTest
    void shouldPrintMoreThanOneLineWhole() throws Exception {
        assertEquals(2, run("-n 2", "abort", "the grid is odd|try 64"), () -> job.err.toString());

        assertEquals(List.of("[1] pgas4j: the grid is odd", "[1] try 64"), job.err.subList(0, 2));
        assertLast("rank 1 .* in program: the grid is odd");
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"throw, cannot be had: java.lang.UnsupportedOperationException", "block, did not come within 2000 ms"})
    void shouldReportAFailureWhoseMessageFails(String how, String why) throws Exception {
        assertEquals(1, run("-n 2 --processes 2", "evil", how), () -> job.err.toString());

        assertLast("rank 1 .* in program: .*EndingProgram\\$EvilException: its message " + why);
        assertEquals(1, count("^\\[1\\] \tat .*EndingProgram"), job.err::toString);
    }

    @WaitingTest
    void shouldCutAndEscapeWhatAFailureSays() throws Exception {
        assertEquals(1, run("-n 1", "steer"), () -> job.err.toString());

        assertFalse(job.err.stream().anyMatch(line -> line.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7f)));
        assertEquals(1,
                count("Exception in thread \"rank-0\" .*: \\\\u001b]0;title\\\\u0007xxx.*\\.\\.\\. \\(\\d+ characters\\)$"),
                () -> job.err.getFirst().substring(0, 200));
        assertTrue(job.lastError().length() < 1500);
        assertTrue(job.err.stream().mapToLong(String::length).sum() < 20_000);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"-n 2, 3, 3", "-n 3 --processes 2, 7, 7", "-n 2 --processes 2, 0, 12"})
    void shouldNameARankThatCallsExit(String options, String status, int expected) throws Exception {
        assertEquals(expected, run(options, "exit", status), () -> job.err.toString());

        assertLast("rank 1 .*: the program called System\\.exit\\(" + status + "\\)");
        assertEquals(1,
                count("pgas4j: System.exit called by thread rank-1 at .*EndingProgram.lambda.*\\(EndingProgram.java:\\d+\\)"
                + " before the ranks were done"), job.err::toString);
        assertEquals(0, count("heap"), job.err::toString);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"3", "0"})
    void shouldPassOnTheStatusOfAnExitAtTheEnd(String status) throws Exception {
        assertEquals(Integer.parseInt(status), run("-n 2", "exit-at-the-end", status), () -> job.err.toString());

        assertEquals(status.equals("0") ? 0 : 1, count("the program called System\\.exit\\(3\\)"), job.err::toString);
        assertEquals(0, count("heap|before the ranks"), job.err::toString);
    }

    @WaitingTest
    void shouldWaitForAThreadOfTheProgramAndNameIt() throws Exception {
        assertEquals(0, run("-n 2 --processes 2 --grace 200ms", "thread", "3000"), () -> job.err.toString());

        assertEquals(2, count("pgas4j: the program has ended, waiting for its threads \\[left-over \\(at .*EndingProgram.park"),
                job.err::toString);
    }

    @WaitingTest
    void shouldEndWithoutAThreadThatNeverEnds() throws Exception {
        assertEquals(15, run("-n 2 --grace 200ms --wait-timeout 5s", "thread", "100000000"), () -> job.err.toString());

        assertLast("rank 0 .*: the program has ended, but not its threads \\[left-over \\(at .*\\)\\] within .*");
    }

    @WaitingTest
    void shouldRunRanksOfAThreadThatMainLeft() throws Exception {
        assertEquals(0, run("-n 2 --grace 100ms", "late-run", "500"), () -> job.err.toString());

        assertTrue(job.out.contains("[0] rank 0 ran") && job.out.contains("[1] rank 1 ran"), job.out::toString);
    }

    /** A hook that a rank has made is a daemon, as its thread is. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"hook, slow-hook", "rank-hook, daemon-hook"})
    void shouldEndWithoutAShutdownHookThatNeverEnds(String program, String thread) throws Exception {
        assertEquals(15, run("-n 2 --grace 200ms --wait-timeout 5s", program, "100000000"), () -> job.err.toString());

        assertEquals(1, count("pgas4j: the program has ended, but not its threads \\[.*" + thread + " \\(at .*EndingProgram.park"),
                job.err::toString);
        assertLast("rank 0 .*: process ended with status 15");
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"-n 2", "-n 2 --processes 2"})
    void shouldRefuseARunInsideARun(String options) throws Exception {
        assertEquals(1, run(options, "nested"), () -> job.err.toString());

        assertLast("rank [01] .* in program: java.lang.IllegalStateException: Pgas.run in thread rank-[01] while another"
                + " one runs.*");
        assertTrue(count("\tat .*EndingProgram\\.lambda") >= 1, job.err::toString);
    }

    /** Before the node directory opens, while it does, and when it is open. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "1400", "1700", "2200", "3500"})
    void shouldPrintNothingWheneverTheJobEnds(String ms) throws Exception {
        assertEquals(0, run("-n 2 --processes 2", "last", ms), () -> job.err.toString());

        assertEquals(List.of(), job.err);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1600", "2000", "2600"})
    void shouldPrintNothingElseWheneverARankExits(String ms) throws Exception {
        assertEquals(12, run("-n 2 --processes 2", "exit-later", ms), () -> job.err.toString());

        assertEquals(job.err.size(), count("System.exit called by thread rank-") + 1, job.err::toString);
    }

    /** Nor does it set the flight recorder up, where there is no recording. */
    @WaitingTest
    void shouldRunNoCompilerInItsJvms() throws Exception {
        assertEquals(0, run("-n 2 --processes 2 --java-opt=-Xlog:class+load:file=" + folder.resolve("classes-%p.txt"),
                "until-loaded", "net.openhft.chronicle.hash.VanillaGlobalMutableState$$Native"), () -> job.err.toString());

        List<Path> logs;
        try (Stream<Path> files = Files.list(folder)) {
            logs = files.filter(file -> file.getFileName().toString().startsWith("classes-")).toList();
        }
        assertEquals(2, logs.size());
        for (Path log : logs) {
            String classes = Files.readString(log);
            assertFalse(classes.contains(" com.sun.tools.javac.main.JavaCompiler "), "a compiler ran");
            assertFalse(classes.contains(" jdk.jfr.internal.MetadataLoader "), "the flight recorder was set up");
        }
    }
}
