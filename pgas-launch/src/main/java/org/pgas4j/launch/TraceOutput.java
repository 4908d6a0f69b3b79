package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Timeline of a job at its end. It is made by a JVM of its own: the launcher's memory is small.
 *
 * @param file for the timeline, or null
 */
record TraceOutput(Path file) {

    private static final long MERGE_MS = 300_000;

    TraceOutput {
        file = file == null ? null : file.toAbsolutePath();
        OutputFile.check("--trace", file);
    }

    /** True if the JVMs are to hand in their timelines. */
    boolean isWanted() {
        return file != null;
    }

    /** Merges the parts; a failure is reported and does not change the job's status. */
    void write(List<Path> parts) throws InterruptedException {
        if (parts.isEmpty()) {
            System.err.println("pgas4j: no timeline in " + file + ": no JVM of the job has handed in a part");
            return;
        }
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"), TraceMain.class.getName(),
                file.toString()));
        parts.forEach(part -> command.add(part.toString()));
        try {
            Process process = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            if (!process.waitFor(MERGE_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                System.err.println("pgas4j: no timeline in " + file + ": not merged within " + MERGE_MS / 1_000 + " s");
            } else if (process.exitValue() != 0) {
                System.err.println("pgas4j: no timeline in " + file + ": the JVM that merges it ended with status "
                        + process.exitValue());
            }
        } catch (IOException e) {
            System.err.println("pgas4j: no timeline in " + file + ": " + e);
        }
    }
}
