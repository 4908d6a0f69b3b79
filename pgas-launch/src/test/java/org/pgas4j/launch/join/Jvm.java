package org.pgas4j.launch.join;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A process that was started without our launcher, and what it prints. */
final class Jvm implements AutoCloseable {

    private static final long WAIT_S = 150;

    final Process process;
    final List<String> lines = new CopyOnWriteArrayList<>();
    private final Thread reader;

    private Jvm(Process process) {
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().start(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(),
                    StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    lines.add(line);
                }
            } catch (IOException e) {
                lines.add("reading failed: " + e);
            }
        });
    }

    /** {@code words... java ... JoinProgram what}, with pgas settings as properties. */
    static Jvm start(List<String> words, Map<String, String> environment, List<String> properties, String... what)
            throws IOException {
        List<String> command = new ArrayList<>(words);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xmx128m", "--enable-native-access=ALL-UNNAMED", "-Dpgas.device=host", "-Dpgas.heap.host=1m",
                "-Dpgas.heap.device=1m", "-Dpgas.join.timeout=120s", "-Dpgas.timeout=120s"));
        properties.forEach(property -> command.add("-D" + property));
        command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path")), JoinProgram.class.getName()));
        command.addAll(List.of(what));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.matches("(PGAS|OMPI|PMIX?|SLURM|PRTE|TORCH)_.*"));
        builder.environment().putAll(environment);
        return new Jvm(builder.start());
    }

    int await() throws InterruptedException {
        if (!process.waitFor(WAIT_S, TimeUnit.SECONDS)) {
            throw new IllegalStateException("process " + process.pid() + " did not end; it printed " + lines);
        }
        reader.join(5_000);
        return process.exitValue();
    }

    /** Waits for a line that has {@code text} in it. */
    void awaitLine(String text) throws InterruptedException {
        for (long end = System.nanoTime() + WAIT_S * 1_000_000_000L; System.nanoTime() - end < 0; Thread.sleep(10)) {
            if (lines.stream().anyMatch(line -> line.contains(text))) {
                return;
            }
        }
        throw new IllegalStateException("no line with " + text + ": " + lines);
    }

    boolean printed(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }

    String last() {
        return lines.isEmpty() ? "" : lines.getLast();
    }

    /** What it printed, and its exit code or that it runs. */
    @Override
    public String toString() {
        return lines + (process.isAlive() ? " runs" : " ended with " + process.exitValue());
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
