package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.ExitCode;

/** Jobs whose standard output takes nothing, or that nobody reads any more. */
@Tag("multiprocess")
@Timeout(180)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class LostOutputTest {

    private static final int SIGPIPE_STATUS = 141;

    @TempDir
    private Path folder;

    private Launched start(String shell, String... words) throws Exception {
        return Launched.startBehind(folder, List.of("bash", "-c", shell, "bash"), words);
    }

    /** By the launcher's pipes, by the ranks themselves, and where the program ends with System.exit(0). */
    @ParameterizedTest
    @CsvSource({"--tag-output, print", "--no-tag-output, print", "--tag-output, exit-after-run",
            "--no-tag-output, exit-after-run"})
    void shouldFailIfResultsAreLost(String tags, String program) throws Exception {
        try (Launched job = start("exec \"$@\" > /dev/full", tags, "-n", "2", "--processes", "2", "--", program)) {
            assertEquals(ExitCode.USAGE.number(), job.await(), job.err::toString);
            assertTrue(job.err.stream().anyMatch(line -> line.contains("pgas4j: standard output cannot be written: ")
                    && line.endsWith("; what was printed is lost")), job.err::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--tag-output", "--no-tag-output"})
    void shouldEndWithoutAWordIfNobodyReads(String tags) throws Exception {
        try (Launched job = start("\"$@\" | head -n 1; exit ${PIPESTATUS[0]}", tags, "-n", "2", "--processes", "2", "--",
                "chatter")) {
            assertEquals(SIGPIPE_STATUS, job.await(), job.err::toString);
            assertEquals(1, job.out.size(), job.out::toString);
            assertEquals(List.of(), job.err);
        }
    }
}
