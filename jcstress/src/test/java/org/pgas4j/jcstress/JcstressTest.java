package org.pgas4j.jcstress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;

/**
 * Runs all cases for a short time: the real ones show nothing that is forbidden, their twins do show their error. A case
 * that has too few samples, or a twin whose error did not come yet, runs again: how soon it does is a matter of luck and
 * of what else the machine does.
 */
@Timeout(value = 900, unit = TimeUnit.SECONDS)
@Tag("slow")
class JcstressTest {

    private static final Path WORK = Path.of("target", "jcstress").toAbsolutePath();
    private static final int CASES = 15;
    /**
     * Of the four modes that would be tried, the one in which code moves most: by the second compiler in a random order. The others,
     * the interpreter and the first compiler among them, which keep to the order of the source, took three quarters of the time.
     */
    private static final String MODE = "--enable-native-access=ALL-UNNAMED -XX:-TieredCompilation -XX:+UnlockDiagnosticVMOptions"
            + " -XX:+StressLCM -XX:+StressGCM -XX:+StressIGVN -XX:+StressCCP";
    private static final long MIN_SAMPLES = 50_000;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(840);
    /** With less time left no further run is started. */
    private static final long LAST_NS = TimeUnit.SECONDS.toNanos(90);

    /** Results of one case in all its runs. */
    private static final class Seen {
        private long samples;
        private long forbidden;
        private long interesting;
        private final List<String> problems = new ArrayList<>();

        void add(TestResult result) {
            if (result.status() != Status.NORMAL) {
                problems.add(result.status() + " " + result.getMessages() + result.getVmErr());
                return;
            }
            samples += result.getTotalCount();
            for (GradingResult graded : result.grading().gradingResults.values()) {
                if (graded.expect == Expect.FORBIDDEN) {
                    forbidden += graded.count;
                } else if (graded.expect == Expect.ACCEPTABLE_INTERESTING) {
                    interesting += graded.count;
                }
            }
        }

        /** Whether more runs would tell nothing new. */
        boolean isEnough(String name) {
            return !problems.isEmpty() || forbidden > 0 || samples >= MIN_SAMPLES && (interesting > 0 || !isTwin(name));
        }

        @Override
        public String toString() {
            return samples + " samples, " + forbidden + " forbidden, " + interesting + " interesting " + problems;
        }
    }

    @Test
    void shouldShowTheErrorsOfTheTwinsOnly() throws Exception {
        Files.createDirectories(WORK);
        blobs().forEach(JcstressTest::delete);
        long deadline = System.nanoTime() + DEADLINE_NS;

        String output = run("org\\.pgas4j\\.", 300, deadline);
        Map<String, Seen> cases = read();
        List<String> missing = missing(cases);
        for (int timeMs = 600; !missing.isEmpty() && deadline - System.nanoTime() > LAST_NS; timeMs = Math.min(2 * timeMs, 5000)) {
            System.out.println("jcstress: again for " + timeMs + " ms: " + missing);
            output = run(missing.stream().map(Pattern::quote).collect(Collectors.joining("|", "^(", ")$")), timeMs, deadline);
            cases = read();
            missing = missing(cases);
        }

        System.out.println("jcstress: " + cases);
        assertEquals(CASES, cases.size(), output);
        cases.forEach((name, seen) -> {
            assertEquals(List.of(), seen.problems, name);
            assertTrue(seen.samples >= MIN_SAMPLES, name + ": " + seen);
            assertEquals(0, seen.forbidden, name + ": " + seen);
            assertEquals(isTwin(name), seen.interesting > 0, name + ": " + seen);
        });
    }

    private static boolean isTwin(String name) {
        return name.contains("Broken");
    }

    private static List<String> missing(Map<String, Seen> cases) {
        return cases.entrySet().stream().filter(seen -> !seen.getValue().isEnough(seen.getKey())).map(Map.Entry::getKey).toList();
    }

    private static String run(String cases, int timeMs, long deadline) throws Exception {
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Main.class.getName(),
                "-m", "quick", "-t", cases, "-f", "1", "-fsm", "1", "-iters", "2", "-time", Integer.toString(timeMs),
                "-sc", "false", "-pth", "false", "-jvmArgs", MODE, "-r", WORK.resolve("report").toString());
        Path log = WORK.resolve("output.log");
        Process process = new ProcessBuilder(command).directory(WORK.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        String output = Files.readString(log);
        assertTrue(ended, output);
        return output;
    }

    private static Map<String, Seen> read() throws Exception {
        InProcessCollector collector = new InProcessCollector();
        for (Path blob : blobs()) {
            DiskReadCollector reader = new DiskReadCollector(blob.toString(), collector);
            reader.dump();
            reader.close();
        }
        Map<String, Seen> cases = new TreeMap<>();
        for (TestResult result : collector.getTestResults()) {
            cases.computeIfAbsent(result.getName(), _ -> new Seen()).add(result);
        }
        return cases;
    }

    private static Collection<Path> blobs() throws IOException {
        List<Path> blobs = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(WORK, "jcstress-results-*.bin.gz")) {
            files.forEach(blobs::add);
        }
        return blobs;
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
