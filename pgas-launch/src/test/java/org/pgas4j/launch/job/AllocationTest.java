package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/** Small transfers make no objects, once both compilers have seen them: in JVMs with the usual options. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("multiprocess")
@Tag("slow")
class AllocationTest {

    private static ProcessHarness.Result launch(String processes, String route, String seconds) throws Exception {
        return ProcessHarness.launch(List.of("-n", "2", "--processes", processes, "--route", route, "--device", "host",
                Testkit.class.getName(), "allocations", "--seconds", seconds), Duration.ofSeconds(280));
    }

    @ParameterizedTest(name = "processes {0}, route {1}")
    @CsvSource({"1, auto", "2, fastpath"})
    void shouldAllocateNothing(String processes, String route) throws Exception {
        ProcessHarness.Result result = launch(processes, route, "60");

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("allocations: get to a device buffer: 0.000 bytes each"), result::output);
        assertTrue(result.output().contains("allocations: barrier: 0.000 bytes each"), result::output);
    }

    @Test
    void shouldNoticeObjects() throws Exception {
        ProcessHarness.Result result = launch("1", "rendezvous", "1");

        assertEquals(1, result.exitCode(), result::output);
        assertTrue(result.output().contains("in program: allocations: put to host memory: "), result::output);
    }
}
