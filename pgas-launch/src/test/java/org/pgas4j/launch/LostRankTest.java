package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.launch.job.Ucx;
import org.pgas4j.launch.job.WaitingTest;

/** Jobs that go on when ranks are lost. */
@Tag("multiprocess")
@Tag("slow")
@Timeout(120)
class LostRankTest {

    @TempDir
    private Path folder;

    private Launched job;

    private int run(String options, String... program) throws Exception {
        try (Launched launched = Launched.startProgram(folder, "--heap-host 4m --heap-device 1m " + options, LossProgram.class,
                program)) {
            job = launched;
            return launched.await();
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"barrier, 3 1, --processes 4", "split-barrier, 2, --processes 4", "reduce, 2, --processes 4",
        "lock, 1, --processes 4", "get, 2, --processes 4", "get, 3, --processes 4 --route messages",
        "get, 1, --processes 4 --route rendezvous", "handles, 2, --processes 4 --route messages",
        "survivors, 2, --processes 4", "compute, 1, --processes 4"})
    void shouldGoOnWithoutThem(String what, String victims, String options) throws Exception {
        List<String> program = new ArrayList<>(List.of(what));
        program.addAll(List.of(victims.split(" ")));
        int lost = program.size() - 1;

        assertEquals(0, run("-n 4 --set pgas.lost=event " + options, program.toArray(String[]::new)), () -> job.err + " " + job.out);

        assertEquals(4 - lost, Launched.count("is done with " + (4 - lost) + ", lost", job.out), job.out::toString);
        assertEquals(lost, Launched.count("^pgas4j: rank \\d .* was lost in .*: process ended with status 77; the job goes on", job.err),
                job.err::toString);
    }

    @WaitingTest
    void shouldLoseAllRanksOfAJvm() throws Exception {
        assertEquals(0, run("-n 6 --processes 3 --set pgas.lost=event", "barrier", "4"), () -> job.err + " " + job.out);

        assertEquals(4, Launched.count("is done with 4, lost \\[4, 5\\]", job.out), job.out::toString);
    }

    /** Each JVM is a node. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"barrier, none", "get, none", "get, peer", "compute, none"})
    void shouldGoOnWithoutANode(String what, String errors) throws Exception {
        Ucx.assume();

        assertEquals(0, run("-n 3 --processes 3 --set pgas.lost=event --set pgas.node.processes=1 --set pgas.ucx.errors=" + errors,
                what, "2"), () -> job.err + " " + job.out);

        assertEquals(2, Launched.count("is done with 2, lost \\[2\\]", job.out), job.out::toString);
    }

    /** The others wait for the end of a rank that dies instead. */
    @WaitingTest
    void shouldEndWithoutARankThatDiesLast() throws Exception {
        assertEquals(0, run("-n 4 --processes 4 --set pgas.lost=event", "end"), () -> job.err + " " + job.out);

        assertEquals(1, Launched.count("rank 3 .* was lost", job.err), job.err::toString);
    }

    @WaitingTest
    void shouldEndWithTheFirstProcess() throws Exception {
        assertEquals(77, run("-n 3 --processes 3 --set pgas.lost=event", "barrier", "0"), () -> job.err + " " + job.out);

        assertTrue(job.lastError().matches("pgas4j: job ended by rank 0 .*: process ended with status 77"), job.err::toString);
    }

    @WaitingTest
    void shouldEndWithAnyUnlessToldToGoOn() throws Exception {
        assertEquals(77, run("-n 3 --processes 3", "barrier", "1"), () -> job.err + " " + job.out);

        assertTrue(job.lastError().matches("pgas4j: job ended by rank 1 .*: process ended with status 77"), job.err::toString);
    }
}
