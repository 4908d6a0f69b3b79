package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.device.cuda.CudaProbe;
import org.pgas4j.device.select.Devices;
import org.pgas4j.testkit.harness.ProcessHarness;

/** Global arrays over ranks in several JVMs. */
@Tag("slow")
@Tag("multiprocess")
@Timeout(180)
class ArrayJobTest {

    @ParameterizedTest
    @CsvSource({"2, 2, auto", "4, 2, auto", "3, 3, fastpath", "2, 2, rendezvous"})
    void shouldDoRandomOperationsAsAPlainArrayDoes(int ranks, int processes, String route) throws Exception {
        check(ranks, processes, route, "host");
    }

    @ParameterizedTest
    @CsvSource({"2, 1, auto", "4, 1, auto", "2, 2, auto", "3, 2, fastpath"})
    @Tag("gpu")
    void shouldDoTheSameOnGpus(int ranks, int processes, String route) throws Exception {
        CudaProbe probe = Devices.probeCuda();
        assumeTrue(probe.backend().isPresent(), probe.verdict());
        probe.backend().get().close();
        check(ranks, processes, route, "cuda");
    }

    private static void check(int ranks, int processes, String route, String device) throws Exception {
        ProcessHarness.Result result = ProcessHarness.launchQuick(List.of("--no-tag-output", "-n", "" + ranks, "--processes",
                "" + processes, "--device", device, "--heap-host", "4m", "--heap-device", "4m", "--route", route,
                ArrayJob.class.getName()), Duration.ofSeconds(150));

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("arrays as expected on " + ranks + " ranks in " + processes + " JVMs"),
                result::output);
    }
}
