package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.CoordinatorOptions;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.ProcessLayout;

/** Looks for the secret of a job in all that a rank's JVM shows or leaves. The test knows it, as it is the launcher. */
@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
class SecretHygieneTest {

    private static final String JOB = "hygiene";

    @TempDir
    private Path folder;

    private final JobSecret secret = JobSecret.random();
    private final ProcessLayout layout = new ProcessLayout(2, 2);

    @Test
    void shouldShowTheSecretNowhere() throws Exception {
        Path recording = folder.resolve("recording.jfr");
        Path crash = folder.resolve("hs_err.log");
        List<Process> jvms = new ArrayList<>();
        try (Coordinator coordinator = Coordinator.start(secret, JOB, layout, new Coordinator.Listener() { }, _ -> { },
                CoordinatorOptions.loopback().withWait(Duration.ofSeconds(300)))) {
            jvms.add(start(0, coordinator.port(), "-XX:StartFlightRecording=filename=" + recording + ",dumponexit=true"));
            jvms.add(start(1, coordinator.port(), "-XX:ErrorFile=" + crash, "-XX:-CreateCoredumpOnCrash"));
            for (int process = 0; process < 2; process++) {
                awaitLine(out(process), "pid ");
                String pid = "/proc/" + jvms.get(process).pid();
                clean("arguments", Files.readAllBytes(Path.of(pid, "cmdline")));
                clean("environment", Files.readAllBytes(Path.of(pid, "environ")));
            }
            assertEquals(0, new ProcessBuilder("kill", "-SEGV", Long.toString(jvms.get(1).pid())).start().waitFor());
            assertTrue(jvms.get(1).waitFor(60, TimeUnit.SECONDS), "the JVM did not crash");
            assertTrue(Files.readString(crash, StandardCharsets.ISO_8859_1).contains("SIGSEGV"), "no error file");
            clean("error file", Files.readAllBytes(crash));
            coordinator.abort(new Abort(1, "here", Phase.PROGRAM, "it was killed", 12, true));
            assertTrue(jvms.get(0).waitFor(60, TimeUnit.SECONDS), "the JVM did not end with its job");
            clean("recording", Files.readAllBytes(recording));
            Path printed = folder.resolve("printed.txt");
            Process print = new ProcessBuilder(tool("jfr"), "print", recording.toString())
                    .redirectErrorStream(true).redirectOutput(printed.toFile()).start();
            assertTrue(print.waitFor(60, TimeUnit.SECONDS), "jfr print did not end");
            String events = Files.readString(printed);
            assertTrue(events.contains("jdk.InitialEnvironmentVariable"), "the recording has no environment");
            clean("printed recording", events.getBytes(StandardCharsets.UTF_8));
            for (int process = 0; process < 2; process++) {
                clean("output", Files.readAllBytes(out(process)));
            }
        } finally {
            jvms.forEach(Process::destroyForcibly);
        }
    }

    /** The search itself: it must find what is there. */
    @Test
    void shouldFindASecretThatIsThere() {
        byte[] raw = HexFormat.of().parseHex(secret.toHex());
        assertTrue(shows(("x" + secret.toHex() + "y").getBytes(StandardCharsets.US_ASCII)));
        assertTrue(shows(("x" + secret.toHex().toUpperCase(Locale.ROOT)).getBytes(StandardCharsets.US_ASCII)));
        assertTrue(shows(raw));
        assertFalse(shows(JobSecret.random().toHex().getBytes(StandardCharsets.US_ASCII)));
    }

    private void clean(String what, byte[] bytes) {
        assertTrue(bytes.length > 0, () -> "no " + what);
        assertFalse(shows(bytes), () -> what + " has the secret of the job");
    }

    /** As hexadecimal digits or as the bytes themselves. */
    private boolean shows(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.toLowerCase(Locale.ROOT).contains(secret.toHex())
                || text.contains(new String(HexFormat.of().parseHex(secret.toHex()), StandardCharsets.ISO_8859_1));
    }

    private Path out(int process) {
        return folder.resolve("out-" + process);
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private Process start(int process, int port, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(tool("java"), "-XX:+UseSerialGC", "-Xmx64m",
                "-XX:+ExitOnOutOfMemoryError", "-Djava.io.tmpdir=" + folder,
                "-Dpgas.timeout=180s", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path")), RankMain.class.getName(), LaunchProgram.class.getName(), "wait"));
        Process jvm = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out(process).toFile()).start();
        jvm.getOutputStream().write(new JobRecord(JOB, port, process, NodeShare.all(layout), ProcessHandle.current().pid(),
                30_000, false, null, null, secret).encode());
        jvm.getOutputStream().flush();
        return jvm;
    }

    private static void awaitLine(Path file, String start) throws IOException, InterruptedException {
        for (long end = System.nanoTime() + 90_000_000_000L; System.nanoTime() - end < 0; Thread.sleep(50)) {
            if (Files.readString(file).lines().anyMatch(line -> line.startsWith(start))) {
                return;
            }
        }
        throw new IllegalStateException("no line " + start + " in " + Files.readString(file));
    }
}
