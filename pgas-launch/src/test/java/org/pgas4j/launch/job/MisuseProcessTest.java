package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.testkit.harness.ProcessHarness;

/** As the collectives of MisuseTest, of ranks in several JVMs: none waits for ever, and the message names both calls. */
@Tag("multiprocess")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class MisuseProcessTest {

    private static final String LINE = " at MisuseMain\\.java:\\d+";
    private static final String END = "the end of its program";

    private static ProcessHarness.Result launch(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("--device", "host", "--wait-timeout", "120s"));
        words.addAll(List.of(arguments));
        return ProcessHarness.launchQuick(words, Duration.ofSeconds(280));
    }

    /** Calls of a program on most ranks, then on rank 1. */
    private static String[] calls(String program) {
        return switch (program) {
            case "skip", "other-thread" -> new String[] {"barrier\\(\\)" + LINE, END};
            case "extra" -> new String[] {END, "barrier\\(\\)" + LINE};
            case "missing" -> new String[] {"allReduce\\(long, SUM\\)" + LINE, END};
            case "values" -> new String[] {"allReduce\\(long, SUM\\)" + LINE, "allReduce\\(double, MAX\\)" + LINE};
            default -> new String[] {"allAllocLongs\\(Blocked\\[block=1\\], 5 elements, HOST\\)" + LINE, "barrier\\(3\\)" + LINE};
        };
    }

    private static void assertNames(String program, ProcessHarness.Result result) {
        String most = calls(program)[0];
        String odd = calls(program)[1];
        assertEquals(13, result.exitCode(), result::output);
        assertEquals(2, result.output().split("Exception in thread \"rank-", -1).length, () -> "traces: " + result.output());
        assertTrue(result.output().matches("(?s).*the collective calls of the ranks differ; (rank 0: " + most + "; rank 1: " + odd
                + "|rank 1: " + odd + "; rank \\d: " + most + ").*"), result::output);
        if (program.equals("other-thread")) {
            assertTrue(result.output().contains("a barrier of rank 1 in thread other: for the rank's own thread, rank-1"),
                    result::output);
        }
    }

    @ParameterizedTest(name = "{0}: ranks {1}, processes {2}")
    @CsvSource({"skip, 2, 2", "skip, 4, 4", "skip, 9, 3", "extra, 3, 2", "extra, 9, 2", "other-thread, 2, 1",
        "other-thread, 4, 2", "missing, 3, 3", "values, 4, 2", "barrier, 3, 2"})
    void shouldNameCallsThatDiffer(String program, String ranks, String processes) throws Exception {
        assertNames(program, launch("-n", ranks, "--processes", processes, MisuseMain.class.getName(), program));
    }

    /** Messages for blocks that have failed and are closed are dropped, and do not hide why they failed. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"late-8", "late-16384"})
    void shouldDropWhatComesLateForBlocksOfAnotherJvm(String program) throws Exception {
        ProcessHarness.Result result = launch("-n", "2", "--processes", "2", MisuseMain.class.getName(), program);

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("rank 1 caught ") && result.output().contains("first cause"), result::output);
        assertTrue(result.output().contains("rank 0 is well") && result.output().contains("rank 1 is well"), result::output);
    }

    /** Each JVM plays a node. */
    @ParameterizedTest(name = "{0}: ranks {1}, processes {2}")
    @CsvSource({"skip, 3, 2", "extra, 9, 3", "missing, 2, 2", "values, 3, 3", "barrier, 3, 2"})
    void shouldNameCallsThatDifferOnTwoNodes(String program, String ranks, String processes) throws Exception {
        Ucx.assume();
        assertNames(program, launch("-n", ranks, "--processes", processes, "--set", "pgas.node.processes=1", "--set",
                "pgas.ucx.tls=tcp", MisuseMain.class.getName(), program));
    }
}
