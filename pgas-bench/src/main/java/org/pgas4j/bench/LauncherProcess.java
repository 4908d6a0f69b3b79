package org.pgas4j.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.pgas4j.bench.result.Row;

/** Launchers with the Java and the class path of this JVM, one at a time; a launcher ends with this JVM. */
final class LauncherProcess {

    private static final List<String> FLAGS = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED");

    private static final long WATCH_MS = 100;
    private static final long END_S = 15;

    private final List<String> command = new ArrayList<>();
    private volatile Process running;

    /** @param jvmOptions further options of the launcher's JVM */
    LauncherProcess(List<String> jvmOptions) {
        this(jvmOptions, null);
    }

    /**
     * @param jvmOptions further options of the launcher's JVM
     * @param cpus       processors that it and its ranks run on; null for all
     */
    LauncherProcess(List<String> jvmOptions, String cpus) {
        if (cpus != null) {
            command.addAll(List.of("taskset", "-c", cpus));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(FLAGS);
        // Absolute: a launcher started elsewhere would look elsewhere.
        command.addAll(List.of("-cp", String.join(File.pathSeparator, Stream.of(System.getProperty("java.class.path")
                .split(File.pathSeparator)).map(entry -> Path.of(entry).toAbsolutePath().toString()).toList()),
                "org.pgas4j.launch.PgasRun"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Process process = running;
            if (process != null) {
                process.destroy();
            }
        }, "bench-end"));
    }

    /** Runs a job to its end and returns its status; JSON lines are rows. */
    int run(List<String> words, Consumer<Row> rows, Consumer<String> others) throws IOException, InterruptedException {
        return run(words, rows, others, () -> Long.MAX_VALUE);
    }

    /**
     * Runs a job to its end, or ends it at a deadline.
     *
     * @param leftNs time until then, which may change while the job runs
     * @return the job's status
     */
    int run(List<String> words, Consumer<Row> rows, Consumer<String> others, LongSupplier leftNs)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.concat(command.stream(), words.stream()).toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        running = process;
        process.getOutputStream().close();
        Thread.ofVirtual().start(() -> watch(process, leftNs));
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("{")) {
                    rows.accept(Row.parse(line));
                } else {
                    others.accept(line);
                }
            }
        }
        int code = process.waitFor();
        running = null;
        return code;
    }

    /** Ends a process at a deadline, with force if it does not end by itself. */
    private static void watch(Process process, LongSupplier leftNs) {
        try {
            while (!process.waitFor(WATCH_MS, TimeUnit.MILLISECONDS)) {
                if (leftNs.getAsLong() <= 0) {
                    process.destroy();
                    if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                        process.descendants().forEach(ProcessHandle::destroyForcibly);
                        process.destroyForcibly();
                    }
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
