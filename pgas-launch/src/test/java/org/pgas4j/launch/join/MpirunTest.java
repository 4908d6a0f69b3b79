package org.pgas4j.launch.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Open MPI's launcher starts the JVMs; {@code -Dtest.require.mpi=true} makes its absence a failure. */
@Timeout(300)
@Tag("slow")
class MpirunTest {

    private static final String REQUIRED = "test.require.mpi";

    @TempDir
    private Path folder;

    private List<String> mpirun(int processes) throws Exception {
        boolean there = false;
        for (String path : System.getenv("PATH").split(":")) {
            there |= Files.isExecutable(Path.of(path, "mpirun"));
        }
        if (!there && Boolean.getBoolean(REQUIRED)) {
            throw new AssertionError(REQUIRED + "=true and there is no mpirun in PATH");
        }
        assumeTrue(there, "no mpirun in PATH; Debian has it in openmpi-bin");
        List<String> words = new ArrayList<>(List.of("mpirun", "--oversubscribe", "-n", Integer.toString(processes)));
        if ((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
            words.add("--allow-run-as-root");
        }
        return words;
    }

    private List<String> settings() {
        return List.of("pgas.join.dir=" + folder.resolve("jobs"));
    }

    @Test
    void shouldRunUnderMpirunAsUnderPgasrun() throws Exception {
        try (Jvm mpirun = Jvm.start(mpirun(4), Map.of(), settings(), "sum", "--pgas.explain=true")) {
            assertEquals(0, mpirun.await(), () -> mpirun.lines.toString());

            for (int rank = 0; rank < 4; rank++) {
                assertTrue(mpirun.printed("rank " + rank + " of 4 in 4 sum 15"), mpirun.lines.toString());
            }
            assertTrue(mpirun.printed("joined: process 0 of 4, by Open MPI ("), mpirun.lines.toString());
            assertTrue(mpirun.printed("direct-host"), mpirun.lines.toString());
        }
        try (var files = Files.list(folder.resolve("jobs"))) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void shouldBeOneRankUnderMpirunOfOne() throws Exception {
        try (Jvm mpirun = Jvm.start(mpirun(1), Map.of(), settings(), "sum")) {
            assertEquals(0, mpirun.await(), () -> mpirun.lines.toString());
            assertTrue(mpirun.printed("rank 0 of 1 in 1 sum 1"), mpirun.lines.toString());
        }
    }

    @Test
    void shouldEndMpirunIfARankFails() throws Exception {
        try (Jvm mpirun = Jvm.start(mpirun(2), Map.of(), settings(), "throw")) {
            assertEquals(1, mpirun.await(), () -> mpirun.lines.toString());
            assertTrue(mpirun.printed("job ended by rank 1"), mpirun.lines.toString());
        }
    }
}
