package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/** Two ranks in two JVMs, for the fast set of tests: everything else that starts JVMs is tagged slow. */
@Tag("multiprocess")
@Timeout(120)
class JobSmokeTest {

    @Test
    void shouldTransferBetweenTwoJvms() throws Exception {
        ProcessHarness.Result result = ProcessHarness.launchQuick(List.of("-n", "2", "--processes", "2", "--device", "host",
                Testkit.class.getName(), "contract", "transfer"), Duration.ofSeconds(100));

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("[0] contract transfer: "), result::output);
    }
}
