package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/**
 * SIGKILL of one of four rank JVMs at a random time, from before they are connected to the middle of the work: the others
 * and the launcher end within seconds and name the rank, and nothing is left.
 */
@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
class KillTest {

    private static final int TRIALS = 10;
    private static final long SEED = 20261121;
    /** Half of the time that the program runs if nothing ends it. */
    private static final double MAX_SECONDS = 30;

    @TempDir
    private Path folder;

    @RepeatedTest(TRIALS)
    @Execution(ExecutionMode.CONCURRENT)
    void shouldEndNamedInTimeAndLeaveNothing(RepetitionInfo repetition) throws Exception {
        Random random = new Random(SEED + repetition.getCurrentRepetition());
        // An argument no other process has: seconds to run.
        String mark = "60." + ProcessHandle.current().pid() + repetition.getCurrentRepetition() + "7";
        Path jobs = Files.createDirectory(folder.resolve("jobs"));
        Path output = folder.resolve("output.txt");
        // One compiler: ten times four JVMs are mostly starts.
        List<String> command = ProcessHarness.launcher(List.of("-n", "4", "--processes", "4", "--device", "host",
                "--java-opt=-XX:TieredStopAtLevel=1", "--java-opt=-XX:+UseSerialGC", Testkit.class.getName(), "busy", mark));
        Process launcher = ProcessHarness.start(command, output, Map.of("XDG_RUNTIME_DIR", jobs.toString()));
        try {
            List<ProcessHandle> ranks = children(launcher);
            Thread.sleep(random.nextInt(2500));
            int victim = random.nextInt(4);
            long start = System.nanoTime();
            assertTrue(ranks.get(victim).destroyForcibly(), "rank " + victim + " was gone already");
            ProcessHarness.Result result = ProcessHarness.await(launcher, output, start, Duration.ofSeconds(60));

            String seen = "trial " + repetition.getCurrentRepetition() + ", victim " + victim + ", " + result;
            assertEquals(137, result.exitCode(), seen);
            assertTrue(result.seconds() <= MAX_SECONDS, seen);
            String last = result.output().lines().reduce((_, line) -> line).orElse("");
            assertTrue(last.contains("job ended by rank " + rankOf(ranks, victim, result.output())) , seen);
            for (ProcessHandle rank : ranks) {
                assertFalse(rank.isAlive(), seen);
            }
            assertEquals(List.of(), leftovers(jobs, mark), seen);
        } finally {
            launcher.descendants().forEach(ProcessHandle::destroyForcibly);
            launcher.destroyForcibly().waitFor();
        }
    }

    /** The rank a killed JVM had: what it printed, or its place among the launcher's children. */
    private static String rankOf(List<ProcessHandle> ranks, int victim, String output) {
        String mark = "busy pid " + ranks.get(victim).pid() + " rank ";
        int at = output.indexOf(mark);
        return Integer.toString(at < 0 ? victim : output.charAt(at + mark.length()) - '0');
    }

    private static List<ProcessHandle> children(Process launcher) throws InterruptedException {
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (System.nanoTime() - deadline < 0) {
            // Only JVMs that are what they will be: a child is the launcher's helper for a moment.
            List<ProcessHandle> children = new ArrayList<>(launcher.children().filter(child ->
                    command(child).contains("RankMain")).toList());
            if (children.size() == 4) {
                children.sort((a, b) -> Long.compare(a.pid(), b.pid()));
                return children;
            }
            Thread.sleep(5);
        }
        throw new AssertionError("the launcher has not started four JVMs");
    }

    private static String command(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException _) {
            return "";
        }
    }

    /** Remains of the job with this mark: files in its directory, processes, and with them their memory files. */
    private static List<String> leftovers(Path jobs, String mark) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(jobs)) {
            files.filter(path -> !path.equals(jobs)).forEach(path -> found.add(path.toString()));
        }
        ProcessHandle.allProcesses().filter(process -> command(process).contains("\0" + mark + "\0"))
                .forEach(process -> found.add("process " + process.pid() + " " + command(process)));
        return found;
    }
}
