package org.pgas4j.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.device.cuda.CudaProbe;
import org.pgas4j.device.select.Devices;
import org.pgas4j.testkit.harness.ProcessHarness;

/** Clock, strict accesses, loops, pointers and files of ranks that share no JVM; the tests of each class have all cases. */
@Tag("slow")
@Tag("multiprocess")
@Timeout(180)
class LibraryJobTest {

    @TempDir
    private Path folder;

    @Test
    void shouldWorkBetweenProcesses() throws Exception {
        check("host");
    }

    @Test
    @Tag("gpu")
    void shouldWorkOnGpus() throws Exception {
        CudaProbe probe = Devices.probeCuda();
        assumeTrue(probe.backend().isPresent(), probe.verdict());
        probe.backend().get().close();
        check("cuda");
    }

    private void check(String device) throws Exception {
        ProcessHarness.Result result = ProcessHarness.launchQuick(List.of("--no-tag-output", "-n", "3", "--processes", "3",
                "--device", device, "--heap-host", "4m", "--heap-device", "4m", LibraryJob.class.getName(),
                folder.resolve("file").toString()), Duration.ofSeconds(150));

        assertEquals(0, result.exitCode(), result::output);
        for (String part : LibraryJob.PARTS) {
            assertTrue(result.output().contains(part + " as expected on 3 ranks in 3 JVMs"), result::output);
        }
    }
}
