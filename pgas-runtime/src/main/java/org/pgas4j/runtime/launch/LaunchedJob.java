package org.pgas4j.runtime.launch;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgas4j.runtime.bootstrap.Bootstrap;

/** The job that this JVM is part of, if the launcher started it. Thread-safe. */
public final class LaunchedJob {

    private static volatile LaunchedJob current;

    private final Bootstrap bootstrap;
    private final Path jobDirectory;
    private final int processesOnNode;
    private final AtomicBoolean asked = new AtomicBoolean();

    LaunchedJob(Bootstrap bootstrap, Path jobDirectory, int processesOnNode) {
        this.bootstrap = bootstrap;
        this.jobDirectory = jobDirectory;
        this.processesOnNode = processesOnNode;
    }

    /** Empty in a JVM that was not started by the launcher. Who asks takes part in the job until the bootstrap closes. */
    public static Optional<LaunchedJob> current() {
        LaunchedJob job = current;
        if (job != null) {
            job.asked.set(true);
        }
        return Optional.ofNullable(job);
    }

    static void set(LaunchedJob job) {
        current = job;
    }

    /** Connected. Closing it tells the launcher that this JVM's ranks are done. */
    public Bootstrap bootstrap() {
        return bootstrap;
    }

    /** True if there is one: jobs of several JVMs on a node have. */
    public boolean hasJobDirectory() {
        return jobDirectory != null;
    }

    /**
     * Owner-only directory in memory, the same for all JVMs of the job on this node; removed when the job ends.
     *
     * @throws IllegalStateException unless {@link #hasJobDirectory()}
     */
    public Path jobDirectory() {
        if (jobDirectory == null) {
            throw new IllegalStateException("job " + bootstrap.jobId() + " is one JVM and has no directory");
        }
        return jobDirectory;
    }

    /** JVMs of the job on this node. */
    public int processesOnNode() {
        return processesOnNode;
    }

    /** True if nobody took part: then the end of the JVM is no failure. */
    boolean neverAsked() {
        return !asked.get();
    }
}
