package org.pgas4j.runtime.launch;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.pgas4j.runtime.bootstrap.ProcessLayout;

/**
 * A job to run.
 *
 * @param layout      ranks and JVMs
 * @param settings    {@code pgas.*} properties of the ranks
 * @param environment variables of the ranks, beyond those of the launcher
 * @param javaOptions of the ranks' JVMs, after the launcher's
 * @param classPath   of the ranks
 * @param mainClass   of the program
 * @param arguments   of the program
 * @param tag         true if lines of output carry their rank
 * @param timeout     of the whole job, or null
 * @param grace       time for an orderly end after a failure
 * @param verbose     true to say what is done
 */
record JobOptions(ProcessLayout layout, Map<String, String> settings, Map<String, String> environment,
                  List<String> javaOptions, String classPath, String mainClass, List<String> arguments, boolean tag,
                  Duration timeout, Duration grace, boolean verbose) {
}
