package org.pgas4j.launch.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.launch.Namespaces;

/**
 * A host without a network any more, in a job that no launcher of ours started: process 0 is here, 1 and 2 are there. Takes a
 * minute of waiting and little else, so that other classes run beside it.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("network namespace 3") // its tests follow each other
@Tag("slow")
class LostHostTest {

    /** In place of ten seconds. */
    private static final String HEARTBEAT_TIMEOUT = "4s";
    /** Six seconds on an idle machine: the timeout and a question. */
    private static final long PATIENCE_NS = 60_000_000_000L;
    private static final long STOP_MS = 8_000;
    /** Number of the namespace that is lost and found; no other test has anything there. */
    private static final int OWN = 3;

    @TempDir
    private Path folder;
    private final List<Jvm> jvms = new ArrayList<>();
    private Namespaces hosts;

    @AfterEach
    void endAll() throws Exception {
        jvms.forEach(Jvm::close);
        if (hosts != null) {
            hosts.link(OWN, true);
        }
    }

    private void start(String what) throws Exception {
        hosts = Namespaces.shared(OWN + 1);
        for (int rank = 0; rank < 3; rank++) {
            jvms.add(start(rank, what));
        }
        for (int rank = 0; rank < 3; rank++) {
            Jvm jvm = jvms.get(rank);
            try {
                jvm.awaitLine("rank " + rank + " of 3 in 3 sum 7");
            } catch (IllegalStateException e) {
                assumeTrue(Boolean.getBoolean("test.require.ucx") || !jvm.printed("libucx0"),
                        "needs libucx0 and its headers when it was built");
                throw e;
            }
        }
    }

    private Jvm start(int rank, String what) throws IOException {
        return Jvm.start(List.of("ip", "netns", "exec", hosts.name(rank == 0 ? 0 : OWN)), Map.of(),
                List.of("pgas.rank=" + rank, "pgas.size=3", "pgas.job.id=j", "pgas.join.dir=" + folder.resolve("jobs"),
                "pgas.heartbeat=1s", "pgas.heartbeat.timeout=" + HEARTBEAT_TIMEOUT), what);
    }

    /** Idle connections are asked by the kernel; of those on which something was on the way it knows without asking. */
    @ParameterizedTest
    @ValueSource(strings = {"wait", "ask"})
    void shouldEndAllIfAHostIsLost(String what) throws Exception {
        start(what);
        Thread.sleep(1_000); // deep in it

        hosts.link(OWN, false);
        long lostNs = System.nanoTime();
        for (Jvm jvm : jvms) {
            assertEquals(12, jvm.await(), () -> jvm.lines.toString());
        }
        long tookNs = System.nanoTime() - lostNs;

        assertTrue(tookNs < PATIENCE_NS, "took " + tookNs / 1_000_000 + " ms");
        System.out.println("lost host, ranks " + what + ": all ended after " + tookNs / 1_000_000 + " ms");
        assertTrue(jvms.get(0).last().matches(".*job ended by rank [12] \\(.*pid " + "(" + jvms.get(1).process.pid() + "|"
                + jvms.get(2).process.pid() + ") .*"), jvms.get(0).lines.toString());
        for (Jvm there : jvms.subList(1, 3)) {
            assertTrue(there.last().contains("job ended by rank 0 ("), there.lines.toString());
            assertTrue(there.last().contains("pid " + jvms.get(0).process.pid()), there.lines.toString());
        }
    }

    /** As long as its kernel answers, a JVM is not lost, whatever keeps it from running. */
    @Test
    void shouldNotTakeAStoppedJvmForLost() throws Exception {
        start("wait");
        signal(jvms.get(1), "STOP");
        Thread.sleep(STOP_MS);
        signal(jvms.get(1), "CONT");
        Thread.sleep(1_000);

        for (Jvm jvm : jvms) {
            assertTrue(jvm.process.isAlive(), () -> jvms.toString());
        }
    }

    private static void signal(Jvm to, String signal) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(to.process.pid())).start().waitFor());
    }
}
