package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/** As {@link RaceTest}, of ranks in three JVMs. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RaceProcessTest {

    @TempDir
    private Path directory;

    private ProcessHarness.Result launch(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("-n", "3", "--processes", "3", "--device", "host", "--wait-timeout", "60s",
                "--set", "pgas.check=full"));
        words.addAll(List.of(arguments));
        return ProcessHarness.launchQuick(words, Duration.ofSeconds(280));
    }

    @ParameterizedTest(name = "{0} of ranks {1} and {2}")
    @CsvSource({"puts, 1, 2", "puts, 0, 1", "flag, 1, 0", "early, 1, 2"})
    void shouldFindRacesBetweenJvms(String what, int first, int second) throws Exception {
        ProcessHarness.Result result = launch(RaceMain.class.getName(), what, "" + first, "" + second,
                directory.resolve("first").toString());

        assertEquals(16, result.exitCode(), result::output);
        assertTrue(result.output().matches("(?s).*data race: rank (" + first + "|" + second + ") .* of rank 0's HOST segment by "
                + "(put|get) at RaceMain\\.java:\\d+ .*rank (" + first + "|" + second + ") used .* by (put|get) at "
                + "RaceMain\\.java:\\d+, .*"), result::output);
    }

    @Test
    void shouldFindNothingWhereSomethingOrders() throws Exception {
        ProcessHarness.Result result = launch(RaceMain.class.getName(), "orders");

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("nothing found"), result::output);
    }

    @Test
    void shouldFindNothingInTheContract() throws Exception {
        ProcessHarness.Result result = launch(Testkit.class.getName(), "contract", "window");

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("contract window: "), result::output);
    }
}
