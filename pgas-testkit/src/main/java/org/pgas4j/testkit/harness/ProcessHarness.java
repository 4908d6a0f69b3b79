package org.pgas4j.testkit.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.pgas4j.ExitCode;

/** Starts programs for tests, collects their output and ends them at a deadline. */
public final class ProcessHarness {

    /** Flags of JVMs that run ranks or the launcher, as the build file has them too. */
    public static final List<String> JVM_FLAGS = List.of("--enable-native-access=ALL-UNNAMED");

    /** Options of jobs that are over before the second compiler has paid: it would take half of the processors' time. */
    public static final List<String> QUICK = List.of("--java-opt=-XX:TieredStopAtLevel=1", "--java-opt=-XX:+UseSerialGC");

    /** The launcher as the scripts start it: it waits, and should leave the processors to the ranks. */
    private static final List<String> LAUNCHER = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=10", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED",
            "-Dio.netty.jfr.enabled=false");

    /**
     * Result of a program.
     *
     * @param exitCode of the process; 124 if it was ended at the deadline
     * @param output   standard output and error, in the order they came
     * @param seconds  it took
     */
    public record Result(int exitCode, String output, double seconds) {
    }

    private ProcessHarness() {
    }

    /** The command that starts {@code arguments} on this JVM's Java with this class path. */
    public static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(executable());
        command.addAll(JVM_FLAGS);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The command that starts a job with these words on this JVM's Java with this class path. */
    public static List<String> launcher(List<String> words) {
        RememberedClasses classes = RememberedClasses.get();
        return launcher(classes.classPath(), classes.launcherOptions(), words);
    }

    /** The same with another class path and more options for the launcher's JVM. */
    public static List<String> launcher(String classPath, List<String> options, List<String> words) {
        List<String> command = new ArrayList<>();
        command.add(executable());
        command.addAll(options);
        command.addAll(LAUNCHER);
        command.addAll(List.of("-cp", classPath, "org.pgas4j.launch.PgasRun"));
        command.addAll(words);
        return command;
    }

    /** The words that run a command of the testkit as the program of a job. */
    public static List<String> testkit(String... words) {
        return Stream.concat(Stream.of("org.pgas4j.testkit.Testkit"), Stream.of(words)).toList();
    }

    private static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Runs a job to its end or the deadline. */
    public static Result launch(List<String> words, Duration deadline) throws IOException, InterruptedException {
        return run(launcher(words), deadline);
    }

    /** As {@link #launch}, with the options {@link #QUICK}. */
    public static Result launchQuick(List<String> words, Duration deadline) throws IOException, InterruptedException {
        return launch(Stream.concat(QUICK.stream(), words.stream()).toList(), deadline);
    }

    /** Starts a command with further environment variables; its output goes to {@code output}. */
    public static Process start(List<String> command, Path output, Map<String, String> environment) throws IOException {
        return start(command, output, environment, null);
    }

    /** As {@link #start(List, Path, Map)}, in a working directory; null is this process's. */
    public static Process start(List<String> command, Path output, Map<String, String> environment, Path directory)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Runs a command to its end or the deadline. */
    public static Result run(List<String> command, Duration deadline) throws IOException, InterruptedException {
        Path output = Files.createTempFile("pgas4j-test-", ".log");
        try {
            long start = System.nanoTime();
            Process process = start(command, output, Map.of());
            return await(process, output, start, deadline);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Waits for a process to end; ends it and its children at the deadline. */
    public static Result await(Process process, Path output, long startNs, Duration deadline)
            throws IOException, InterruptedException {
        boolean ended = process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        int status = ended ? process.exitValue() : ExitCode.JOB_TIMEOUT.number();
        return new Result(status, Files.readString(output, StandardCharsets.UTF_8),
                (System.nanoTime() - startNs) / 1e9);
    }
}
