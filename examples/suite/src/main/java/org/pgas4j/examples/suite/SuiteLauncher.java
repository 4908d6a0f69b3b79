package org.pgas4j.examples.suite;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Starts jobs with the launcher, one at a time, with the Java and the class path of this JVM; a job ends with this JVM. */
final class SuiteLauncher implements SuiteJobs {

    private static final String LAUNCHER = "org.pgas4j.launch.PgasRun";

    private final List<String> command = new ArrayList<>();
    private volatile Process running;

    /** With further options of the launcher's JVM. */
    SuiteLauncher(List<String> jvmOptions) {
        String classPath = String.join(File.pathSeparator, Stream.of(System.getProperty("java.class.path")
                .split(File.pathSeparator)).map(entry -> Path.of(entry).toAbsolutePath().toString()).toList());
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED", "-cp", classPath, LAUNCHER));
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "suite-end"));
    }

    private void end() {
        Process process = running;
        if (process != null) {
            process.destroy();
        }
    }

    @Override
    public Ended run(List<String> words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.concat(command.stream(), words.stream()).toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        running = process;
        process.getOutputStream().close();
        String result = "";
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                result = line.startsWith("{") ? line : result;
            }
        }
        int code = process.waitFor();
        running = null;
        return new Ended(code, result);
    }
}
