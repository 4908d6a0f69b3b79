package org.pgas4j.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.testkit.harness.ProcessHarness;

/** A pool of ranks in several JVMs. */
@Tag("slow")
@Tag("multiprocess")
@Timeout(180)
class TaskJobTest {

    @ParameterizedTest
    @CsvSource({"2, 2, auto", "4, 2, auto", "3, 3, fastpath"})
    void shouldExecuteEveryTaskOnce(int ranks, int processes, String route) throws Exception {
        ProcessHarness.Result result = ProcessHarness.launchQuick(List.of("--no-tag-output", "-n", "" + ranks, "--processes",
                "" + processes, "--device", "host", "--heap-host", "4m", "--heap-device", "1m", "--route", route,
                TaskJob.class.getName()), Duration.ofSeconds(150));

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("39999 tasks on " + ranks + " ranks in " + processes + " JVMs"),
                result::output);
    }
}
