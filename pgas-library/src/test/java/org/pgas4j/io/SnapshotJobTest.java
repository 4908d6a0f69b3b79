package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.testkit.harness.ProcessHarness;

/** A snapshot of several JVMs, restored by other numbers of ranks and JVMs. */
@Tag("slow")
@Tag("multiprocess")
@Timeout(180)
class SnapshotJobTest {

    @TempDir
    private Path folder;

    private void run(String command, int ranks, int processes) throws Exception {
        ProcessHarness.Result result = ProcessHarness.launchQuick(List.of("--no-tag-output", "-n", "" + ranks, "--processes",
                "" + processes, "--device", "host", "--heap-host", "8m", "--heap-device", "8m", SnapshotJob.class.getName(),
                command, folder.resolve("snapshot").toString()), Duration.ofSeconds(80));

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains(command + " by " + ranks + " ranks in " + processes + " JVMs"), result::output);
    }

    @Test
    void shouldRestoreWithOtherNumbersOfRanksAndProcesses() throws Exception {
        run("save", 4, 2);
        run("restore", 3, 3);
        run("restore", 8, 2);
    }
}
