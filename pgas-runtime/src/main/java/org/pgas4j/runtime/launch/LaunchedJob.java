package org.pgas4j.runtime.launch;

import java.nio.file.Path;
import java.util.Optional;
import org.pgas4j.runtime.bootstrap.Bootstrap;
import org.pgas4j.runtime.watch.StatusBoard;

/** The job that this JVM is part of, if the launcher started it. Thread-safe. */
public final class LaunchedJob {

    private static volatile LaunchedJob current;

    private final Bootstrap bootstrap;
    private final Path jobDirectory;
    private final NodeShare node;
    private final StatusBoard board;
    private volatile boolean inUse;

    LaunchedJob(Bootstrap bootstrap, Path jobDirectory, NodeShare node, StatusBoard board) {
        this.bootstrap = bootstrap;
        this.jobDirectory = jobDirectory;
        this.node = node;
        this.board = board;
    }

    /**
     * Empty in a JVM that was not started by the launcher. Who asks takes part in the job until {@link #runEnded()} or
     * until the bootstrap closes; if the JVM ends before, it is lost.
     */
    public static Optional<LaunchedJob> current() {
        LaunchedJob job = current;
        if (job != null) {
            job.inUse = true;
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

    /** True if there is one: jobs of several JVMs on this node have. */
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
            throw new IllegalStateException("job " + bootstrap.jobId() + " has one JVM here and no directory");
        }
        return jobDirectory;
    }

    /** Where the ranks of this JVM, and others of this node if it can be, say what they do. */
    public StatusBoard board() {
        return board;
    }

    /** JVMs of the job on this node. */
    public int processesOnNode() {
        return node.processes();
    }

    /** The first of them: makes what the JVMs of a node share. */
    public int firstProcessOnNode() {
        return node.first();
    }

    /** All ranks of this JVM are done, until somebody asks for {@link #current()} again: the JVM may end. */
    public void runEnded() {
        inUse = false;
    }

    /** True if the end of the JVM would leave nobody waiting. */
    boolean isIdle() {
        return !inUse;
    }
}
