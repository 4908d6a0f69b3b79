package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.launch.job.WaitingTest;
import org.pgas4j.testkit.Testkit;

/** Jobs on several hosts, which are network namespaces of this machine. */
@Tag("multiprocess")
@Timeout(600)
@Tag("slow")
class HostsTest {

    @TempDir
    private Path folder;

    private static Namespaces namespaces;

    @BeforeAll
    static void makeHosts() throws Exception {
        namespaces = Namespaces.shared(3);
    }

    /** A killed agent's directory is removed by the launcher. */
    @AfterEach
    void shouldLeaveNoJobDirectory() throws Exception {
        List<Path> roots = new ArrayList<>();
        try (Stream<Path> left = Files.list(folder)) {
            left.filter(path -> path.getFileName().toString().startsWith("pgas-")).forEach(roots::add);
        }
        assertEquals(List.of(), roots);
    }

    private Launched start(int hosts, String... words) throws Exception {
        return Launched.start(folder, words(hosts, words));
    }

    private static String[] words(int hosts, String... words) {
        List<String> all = new ArrayList<>(List.of("--rsh", "ip netns exec", "-H", namespaces.names(hosts),
                "--wait-timeout", "120s"));
        all.addAll(List.of(words));
        return all.toArray(String[]::new);
    }

    @WaitingTest
    void shouldRunOnThreeHosts() throws Exception {
        try (Launched job = start(3, "-n", "6", "--ppn", "1", "--", "done")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            for (int process = 0; process < 3; process++) {
                assertTrue(job.out.contains("[p" + process + "] ranks 6"), job.out::toString);
            }
            assertEquals(3, job.out.stream().filter(line -> line.endsWith("directory none")).count());
        }
    }

    @WaitingTest
    void shouldPassOutputArgumentsAndVariables() throws Exception {
        Path output = folder.resolve("output");
        try (Launched job = start(2, "-n", "4", "--no-tag-output", "--output", output.toString(), "-x",
                "PGAS_TEST_VARIABLE=v=1", "--wdir", folder.toString(), "--", "print", "two words")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            for (int rank = 0; rank < 4; rank++) {
                List<String> lines = Files.readAllLines(output.resolve("rank-" + rank + ".out"));
                assertEquals(1_000, lines.size());
                assertEquals("line 999 of rank " + rank + " end", lines.getLast());
                assertEquals(List.of("unfinished of rank " + rank), Files.readAllLines(output.resolve("rank-" + rank
                        + ".err")));
            }
            assertTrue(Files.readString(output.resolve("jvm-1.out")).contains("process 1"), "lines of no rank");
            assertTrue(job.out.contains("line 0 of rank 3 end"), "no tags were asked for");
        }
    }

    /** Two JVMs on one host and one on the other: four would take twice the time of two processors. */
    @WaitingTest
    void shouldKeepTheContractsOfAtomicsLocksAndCollectivesBetweenHosts() throws Exception {
        List<String> contracts = List.of("atomic", "lock", "collective", "vectors", "arrays");
        List<String> words = new ArrayList<>(List.of("--rsh", "ip netns exec", "-H", namespaces.names(2), "-n", "3", "--ppn", "2",
                "--wait-timeout", "120s", "--device", "host", "--heap-host", "4m", "--heap-device", "4m",
                Testkit.class.getName(), "contract"));
        words.addAll(contracts);
        try (Launched job = Launched.start(folder, words.toArray(String[]::new))) {
            int status = job.await();
            assumeTrue(Boolean.getBoolean("test.require.ucx") || job.err.stream().noneMatch(line ->
                    line.contains("libucx0")), "needs libucx0 and its headers when it was built");
            assertEquals(0, status, () -> job.err.toString());
            for (String contract : contracts) {
                assertTrue(job.out.stream().anyMatch(line -> line.startsWith("[0] contract " + contract + ": ")
                        && line.endsWith("nodes=2")), job.out::toString);
            }
        }
    }

    @WaitingTest
    void shouldCopyTheClassPath() throws Exception {
        try (Launched job = Launched.startPlain(folder, words(1, "-n", "2", "--ppn", "2", "--ship", "--", "wait"))) {
            List<ProcessHandle> jvms = job.awaitJvms(2);
            Path directory = job.jobDirectory();
            String command = Files.readString(Path.of("/proc/" + jvms.getFirst().pid() + "/cmdline"));

            assertTrue(command.contains(directory.resolve("classes") + "/0/"), command);
            assertFalse(command.contains("/target/classes"), command);
            job.process.toHandle().destroy();
            assertEquals(143, job.await());
            assertFalse(Files.exists(directory));
        }
    }

    @WaitingTest
    void shouldEndAllHostsIfARankIsKilled() throws Exception {
        try (Launched job = start(3, "-n", "6", "--ppn", "2", "--", "wait")) {
            List<ProcessHandle> jvms = job.awaitJvms(6);
            jvms.get(3).destroyForcibly();

            assertEquals(137, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 3 \\(" + namespaces.name(1) + " pid "
                    + jvms.get(3).pid() + " rank 3\\) in running: process killed by signal 9 \\(SIGKILL\\)"),
                    job.lastError());
            assertTrue(jvms.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @WaitingTest
    void shouldEndAllHostsIfAnAgentIsKilled() throws Exception {
        try (Launched job = start(3, "-n", "6", "--ppn", "2", "--", "wait")) {
            List<ProcessHandle> jvms = job.awaitJvms(6);
            ProcessHandle agent = jvms.get(2).parent().orElseThrow();
            agent.destroyForcibly();
            awaitGone(jvms.subList(2, 4));

            assertEquals(12, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 2 \\(" + namespaces.name(1)
                    + " .*ranks 2-3\\) in running: the node('s agent)? was lost: .*"), job.lastError());
            assertTrue(jvms.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @WaitingTest
    void shouldEndAllHostsWithTheLauncher() throws Exception {
        try (Launched job = start(2, "-n", "4", "--ppn", "2", "--", "spin")) {
            List<ProcessHandle> jvms = job.awaitJvms(4);
            List<ProcessHandle> agents = List.of(jvms.get(0).parent().orElseThrow(), jvms.get(2).parent().orElseThrow());
            job.process.destroyForcibly();

            awaitGone(jvms);
            awaitGone(agents);
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void shouldEndAllHostsAsTold(String signal) throws Exception {
        try (Launched job = start(1, "-n", "1", "--", "wait")) {
            List<ProcessHandle> jvms = job.awaitJvms(1);
            new ProcessBuilder("kill", "-" + signal, Long.toString(job.process.pid())).start().waitFor();

            int expected = switch (signal) {
                case "TERM" -> 143;
                case "INT" -> 130;
                default -> 129;
            };
            assertEquals(expected, job.await(), () -> job.err.toString());
            assertTrue(jvms.stream().noneMatch(ProcessHandle::isAlive));
            assertTrue(job.lastError().contains("a signal ended pgasrun"), job.err::toString);
        }
    }

    @WaitingTest
    void shouldNotShowTheSecretInArgumentsOrEnvironment() throws Exception {
        try (Launched job = start(1, "-n", "1", "-v", "--", "wait")) {
            ProcessHandle agent = job.awaitJvms(1).getFirst().parent().orElseThrow();
            for (String file : List.of("cmdline", "environ")) {
                assertFalse(Files.readString(Path.of("/proc/" + agent.pid() + "/" + file)).matches(
                        "(?s).*[0-9a-f]{64}.*"), "the agent's " + file + " looks like a secret");
            }
            job.process.toHandle().destroy();
            job.await();
            assertFalse((job.out + "" + job.err).matches("(?s).*[0-9a-f]{64}.*"), "output looks like a secret");
        }
    }

    @WaitingTest
    void shouldSayWhyAHostCannotBeReached() throws Exception {
        try (Launched job = Launched.start(folder, "--rsh", "ip netns exec", "-H", "no-such-namespace", "--", "done")) {
            assertEquals(10, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 0 \\(no-such-namespace rank 0\\) in starting: "
                    + "'ip netns exec no-such-namespace' ended with status \\d+: Cannot open network namespace .*"),
                    job.err::toString);
        }
    }

    @WaitingTest
    void shouldSayWhatIsMissingOnAHost() throws Exception {
        try (Launched job = start(1, "--java", "/no/such/java", "--", "done")) {
            assertEquals(2, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().contains("there is no /no/such/java on " + namespaces.name(0)),
                    job.lastError());
        }
        try (Launched job = start(1, "--wdir", "/no/such/directory", "--", "done")) {
            assertEquals(2, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().contains("--wdir /no/such/directory: no such directory on " + namespaces.name(0)),
                    job.lastError());
        }
    }

    private static void awaitGone(List<ProcessHandle> processes) throws InterruptedException {
        long start = System.nanoTime();
        while (processes.stream().anyMatch(ProcessHandle::isAlive)) {
            assertTrue(System.nanoTime() - start < LaunchProgram.WAIT_NS / 3, "took too long");
            Thread.sleep(5);
        }
    }
}
