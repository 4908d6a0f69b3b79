package org.pgas4j.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.pgas4j.PgasConfig;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * A job to run.
 *
 * @param layout      ranks and JVMs
 * @param settings    {@code pgas.*} properties of the ranks
 * @param environment variables of the ranks, beyond those of the process that starts their JVMs
 * @param javaOptions of the ranks' JVMs, after the launcher's
 * @param classPath   of the ranks
 * @param mainClass   of the program
 * @param arguments   of the program
 * @param directory   the ranks work in; null for that of the launcher
 * @param tag         true if lines of output carry their rank
 * @param output      directory of files with the output of each rank; null for none
 * @param timeout     of the whole job, or null
 * @param grace       time for an orderly end after a failure
 * @param verbose     true to log the launcher's steps
 */
record JobOptions(ProcessLayout layout, Map<String, String> settings, Map<String, String> environment,
                  List<String> javaOptions, String classPath, String mainClass, List<String> arguments, Path directory,
                  boolean tag, Path output, Duration timeout, Duration grace, boolean verbose) {

    /** True if the JVMs put their ranks in front of lines: for the terminal, or to choose the file they belong to. */
    boolean tagsLines() {
        return tag || output != null;
    }

    /** The settings, also those of the launcher. */
    PgasConfig config() {
        PgasConfig config = new PgasConfig();
        settings.forEach((property, value) -> config.set(PgasConfig.key(property), value));
        return config;
    }

    /** The same job with another class path, and another directory to work in. */
    JobOptions at(String otherClassPath, Path otherDirectory) {
        return new JobOptions(layout, settings, environment, javaOptions, otherClassPath, mainClass, arguments,
                otherDirectory, tag, output, timeout, grace, verbose);
    }

    /** Prints a step of the launcher if the job is verbose. */
    void log(String line) {
        if (verbose) {
            System.err.println("pgas4j: " + line);
        }
    }
}
