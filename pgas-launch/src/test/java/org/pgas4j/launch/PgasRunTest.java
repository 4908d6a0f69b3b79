package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.launch.files.JobDirectory;
import org.pgas4j.launch.job.WaitingTest;

@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
class PgasRunTest {

    private static final int SIGTERM_STATUS = 143;

    @TempDir
    private Path folder;

    @AfterEach
    void shouldLeaveNoJobDirectory() throws IOException {
        try (Stream<Path> left = Files.list(folder)) {
            List<Path> roots = left.filter(path -> path.getFileName().toString().startsWith("pgas-")).toList();
            assertEquals(List.of(), roots);
        }
    }

    @WaitingTest
    void shouldRunOneJvmWithoutDirectory() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "4", "--", "done")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            assertTrue(job.out.contains("[p0] ranks 4"), job.out::toString);
            assertTrue(job.out.getFirst().endsWith("directory none"));
            assertEquals(List.of(), job.err);
        }
    }

    @WaitingTest
    void shouldPassArgumentsSettingsAndVariables() throws Exception {
        try (Launched job = Launched.start(folder, "--no-tag-output", "--device", "host", "-x",
                "PGAS_TEST_VARIABLE=v=1", "--", "idle", "-n", "two words", "--help")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            assertEquals(List.of("idle idle,-n,two words,--help host v=1"), job.out);
        }
    }

    @WaitingTest
    void shouldTagWholeLines() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "5", "--processes", "2", "--", "print")) {
            assertEquals(0, job.await(), () -> job.err.toString());
            for (int rank = 0; rank < 5; rank++) {
                int number = rank;
                List<String> lines = job.out.stream().filter(line -> line.startsWith("[" + number + "] ")).toList();
                assertEquals(1_000, lines.size());
                for (int i = 0; i < 1_000; i++) {
                    assertEquals("[" + rank + "] line " + i + " of rank " + rank + " end", lines.get(i));
                }
                assertTrue(job.err.contains("[" + rank + "] unfinished of rank " + rank), job.err::toString);
            }
            assertEquals(5_002, job.out.size());
        }
    }

    @WaitingTest
    void shouldKeepTheJobDirectoryToTheOwner() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--", "wait")) {
            job.awaitJvms(2);
            Path directory = job.jobDirectory();

            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
            assertEquals("rwx------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.getParent())));
            job.process.toHandle().destroy();
            assertEquals(SIGTERM_STATUS, job.await());
            assertFalse(Files.exists(directory));
            assertEquals(1, job.err.size(), job.err::toString);
            assertTrue(job.lastError().matches("pgas4j: job ended by the launcher \\(.* pid " + job.process.pid()
                    + " pgasrun\\) in running: a signal ended pgasrun"), job.lastError());
        }
    }

    @WaitingTest
    void shouldNotShowTheSecretInArgumentsOrEnvironment() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "-v", "--", "wait")) {
            for (ProcessHandle jvm : job.awaitJvms(2)) {
                String arguments = Files.readString(Path.of("/proc/" + jvm.pid() + "/cmdline"));
                String environment = Files.readString(Path.of("/proc/" + jvm.pid() + "/environ"));
                assertTrue(arguments.contains(RankMain.class.getName()));
                assertFalse(arguments.matches("(?s).*[0-9a-f]{64}.*"), "arguments look like a secret");
                assertFalse(environment.matches("(?s).*[0-9a-f]{64}.*"), "environment looks like a secret");
            }
            job.process.toHandle().destroy();
            job.await();
            assertFalse((job.out + "" + job.err).matches("(?s).*[0-9a-f]{64}.*"), "output looks like a secret");
        }
    }

    @WaitingTest
    void shouldEndWithTheStatusOfAnExceptionAndItsTrace() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "4", "--processes", "2", "--", "throw")) {
            assertEquals(1, job.await());
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 2 \\(.* pid \\d+ ranks 2-3\\) in main: "
                    + "java.lang.IllegalStateException: user's mistake"), job.lastError());
            assertTrue(job.err.stream().anyMatch(line -> line.contains("LaunchProgram.main")), job.err::toString);
            assertEquals(1, job.err.stream().filter(line -> line.contains("java.lang.Ill") && line.startsWith("[p"))
                    .count(), job.err::toString);
        }
    }

    @WaitingTest
    void shouldPrintOneLineForAUsageError() throws Exception {
        try (Launched job = Launched.start(folder, "--", "usage")) {
            assertEquals(2, job.await());
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 0 .* in main: no such file: input.mtx"),
                    job.lastError());
            assertEquals(1, job.err.size(), job.err::toString);
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"0, 12", "7, 7", "3, 3", "255, 255"})
    void shouldEndWithTheStatusOfTheProcessThatExits(String status, int expected) throws Exception {
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--", "exit", status)) {
            assertEquals(expected, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 1 .*: the program called System\\.exit\\(" + status
                    + "\\)"), job.lastError());
            assertTrue(job.err.getFirst().matches("\\[p1\\] pgas4j: System.exit called by thread main at .*LaunchProgram.main"
                    + "\\(LaunchProgram.java:\\d+\\) before the ranks were done"), job.err::toString);
            assertEquals(2, job.err.size(), job.err::toString);
        }
    }

    @WaitingTest
    void shouldAllowExitAfterTheRun() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--", "exit-after-run")) {
            assertEquals(0, job.await(), () -> job.err.toString());
        }
    }

    @WaitingTest
    void shouldEndWithThreeIfTheHeapIsFull() throws Exception {
        try (Launched job = Launched.start(folder, "--java-opt=-Xmx32m", "--", "memory")) {
            assertEquals(3, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().contains("Java heap is out of memory"), job.lastError());
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"9, KILL, 137", "15, TERM, 143", "6, ABRT, 134"})
    void shouldEndAllIfOneIsKilled(int signal, String name, int status) throws Exception {
        try (Launched job = Launched.start(folder, "-n", "3", "--processes", "3",
                "--java-opt=-XX:-CreateCoredumpOnCrash", "--java-opt=-XX:ErrorFile=" + folder.resolve("hs_err"), "--",
                "wait")) {
            List<ProcessHandle> jvms = job.awaitJvms(3);
            long start = System.nanoTime();
            new ProcessBuilder("kill", "-" + signal, Long.toString(jvms.get(1).pid())).start().waitFor();

            assertEquals(status, job.await(), () -> job.err.toString());
            assertTrue(System.nanoTime() - start < LaunchProgram.WAIT_NS / 3, "took too long");
            assertTrue(job.lastError().matches("pgas4j: job ended by rank 1 \\(.* pid " + jvms.get(1).pid()
                    + " rank 1\\) in running: process killed by signal " + signal + " \\(SIG" + name + "\\)"),
                    job.lastError());
            assertTrue(jvms.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @WaitingTest
    void shouldEndJvmsThatDoNotNotice() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--grace", "300ms", "--timeout", "2s",
                "--", "spin")) {
            assertEquals(124, job.await(), () -> job.err.toString());
            assertTrue(job.lastError().contains("the job did not end within 2000 ms (--timeout)"), job.lastError());
        }
    }

    @WaitingTest
    void shouldEndWithItsLauncher() throws Exception {
        try (Launched job = Launched.start(folder, "-n", "2", "--processes", "2", "--", "wait")) {
            List<ProcessHandle> jvms = job.awaitJvms(2);
            Path directory = job.jobDirectory();
            job.process.destroyForcibly().waitFor();
            long start = System.nanoTime();
            while (jvms.stream().anyMatch(ProcessHandle::isAlive)) {
                assertTrue(System.nanoTime() - start < LaunchProgram.WAIT_NS / 3, "took too long");
                Thread.sleep(5);
            }

            assertEquals(List.of(directory), JobDirectory.abandoned(folder), "nobody was left to remove it");
        }
        try (Launched next = Launched.start(folder, "-n", "2", "--processes", "2", "-v", "--", "done")) {
            assertEquals(0, next.await());
            assertTrue(next.err.stream().anyMatch(line -> line.contains("left by a launcher that is dead")),
                    next.err::toString);
        }
    }

    @WaitingTest
    void shouldSayWhichOptionsJavaDoesNotStartWith() throws Exception {
        try (Launched job = Launched.start(folder, "--java-opt=--nonsense", "--", "done")) {
            assertEquals(2, job.await());
            assertTrue(job.lastError().endsWith("process ended with status 1: Java did not start; its options are"
                    + " --java-opt=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC --nonsense"), job.lastError());
        }
    }

    @WaitingTest
    void shouldSayWhatIsMissing() throws Exception {
        try (Launched job = Launched.start(folder, "org.example.Missing")) {
            assertEquals(2, job.await());
            assertTrue(job.lastError().endsWith(" in main: no class org.example.Missing on the class path; give its jar or"
                    + " directory with -cp"), job.lastError());
            assertEquals(1, job.err.size(), job.err::toString);
        }
    }
}
