package org.pgas4j.launch.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.pgas4j.launch.PgasRun;
import org.pgas4j.launch.WarmUp;

/** Processes of their own, with a driver that is not one. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class FakeDriverTest {

    private static final int NO_DEVICE = 100;
    private static final int STUB = 34;
    private static final int DEVICE_STATUS = 14;

    @TempDir
    private Path folder;

    private record Ended(int status, List<String> lines) {

        String last() {
            return lines.isEmpty() ? "" : lines.getLast();
        }

        String lineOf(String what) {
            return lines.stream().filter(line -> line.substring(Math.min(6, line.length())).startsWith(what + ": "))
                    .findFirst().orElseThrow(() -> new AssertionError("no line of " + what + " in " + lines));
        }
    }

    private Ended java(Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmFlags.needed());
        command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-cp", System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path")), main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("LD_LIBRARY_PATH", folder.toString());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        builder.environment().put("XDG_RUNTIME_DIR", folder.toString());
        builder.environment().remove("CUDA_VISIBLE_DEVICES");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS), "did not end: " + command);
            return new Ended(process.exitValue(), Files.readAllLines(folder.resolve("output")));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Ended pgasrun(String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("-n", "1", "--processes", "1", "--no-tag-output",
                "--heap-host", "1m", "--heap-device", "1m"));
        arguments.addAll(List.of(options));
        arguments.add(WarmUp.class.getName());
        return java(PgasRun.class, arguments.toArray(String[]::new));
    }

    private void compile(String source, String... options) throws IOException, InterruptedException {
        Path file = folder.resolve("fake.c");
        Files.writeString(file, source);
        List<String> command = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-o",
                folder.resolve("libcuda.so.1").toString(), file.toString()));
        command.addAll(List.of(options));
        Process gcc;
        try {
            gcc = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "gcc is missing: " + e.getMessage());
            return;
        }
        String said = new String(gcc.getInputStream().readAllBytes());
        assertTrue(gcc.waitFor(60, TimeUnit.SECONDS) && gcc.exitValue() == 0, said);
    }

    private void fakeDriver(int init) throws IOException, InterruptedException {
        try (InputStream source = FakeDriverTest.class.getResourceAsStream("fake_cuda.c")) {
            compile(new String(source.readAllBytes()), "-DINIT=" + init, "-DVERSION=13000");
        }
    }

    @Test
    void shouldWarnOfAFileThatIsNoLibrary() throws Exception {
        Files.writeString(folder.resolve("libcuda.so.1"), "not a library");

        Ended doctor = java(PgasTool.class, "doctor");
        Ended required = java(PgasTool.class, "doctor", "--require-gpu", "--json");

        assertEquals(0, doctor.status(), doctor.lines().toString());
        assertTrue(doctor.lineOf("GPU").startsWith("warn") && doctor.lineOf("GPU").contains("file too short"),
                doctor.last());
        assertEquals(DEVICE_STATUS, required.status(), required.lines().toString());
        assertTrue(required.last().startsWith("{\"level\":\"FAIL\",\"what\":\"GPU\","), required.last());
    }

    @Test
    void shouldRunOnTheHostWithALibraryThatIsNoDriver() throws Exception {
        compile("int nothing(void) { return 0; }\n");

        Ended job = pgasrun();
        Ended required = pgasrun("--require-gpu");

        assertEquals(0, job.status(), job.lines().toString());
        assertEquals(DEVICE_STATUS, required.status(), required.lines().toString());
        assertTrue(required.last().startsWith("pgas4j: job ended by rank 0"), required.lines().toString());
        assertTrue(required.last().contains("it has no function cu"), required.last());
        assertTrue(required.lines().stream().anyMatch(line -> line.startsWith("pgas4j: FAIL  GPU: libcuda.so.1 is not")
                && line.contains("  -> ")), required.lines().toString());
        assertTrue(required.lines().stream().noneMatch(line -> line.startsWith("\tat ")), required.lines().toString());
    }

    @Test
    void shouldRunOnTheHostWithADriverWithoutDevice() throws Exception {
        fakeDriver(NO_DEVICE);

        Ended doctor = java(PgasTool.class, "doctor");
        Ended job = pgasrun();
        Ended required = pgasrun("--require-gpu");

        assertEquals(0, doctor.status(), doctor.lines().toString());
        assertTrue(doctor.lineOf("GPU").contains("no device"), doctor.lineOf("GPU"));
        assertEquals(0, job.status(), job.lines().toString());
        assertEquals(DEVICE_STATUS, required.status(), required.lines().toString());
        assertTrue(required.last().contains("NVIDIA driver found, but no device"), required.last());
    }

    @Test
    void shouldNameTheCodeOfADriverThatDoesNotStart() throws Exception {
        fakeDriver(STUB);

        Ended doctor = java(PgasTool.class, "doctor");

        assertEquals(0, doctor.status(), doctor.lines().toString());
        assertTrue(doctor.lineOf("GPU").contains("cuInit: CUDA_ERROR_STUB_LIBRARY (34)"), doctor.lineOf("GPU"));
    }

    @Test
    void shouldListTheDevicesOfADriver() throws Exception {
        fakeDriver(0);

        Ended doctor = java(PgasTool.class, "doctor");

        assertTrue(doctor.lineOf("NVIDIA driver").contains("CUDA 13.0"), doctor.lines().toString());
        assertTrue(doctor.lineOf("GPU").contains("2: Fake GPU (9.0, 80 GiB)"), doctor.lineOf("GPU"));
        assertTrue(doctor.lineOf("peer access").contains("none from 0 to 1, 1 to 0"), doctor.lines().toString());
        assertFalse(doctor.lineOf("NVRTC").isEmpty() || doctor.lineOf("cuBLAS").isEmpty());
    }
}
