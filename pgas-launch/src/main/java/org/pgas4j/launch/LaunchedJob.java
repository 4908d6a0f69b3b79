package org.pgas4j.launch;

import java.nio.file.Path;
import java.util.Optional;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.job.JobShare;
import org.pgas4j.bootstrap.watch.StatusBoard;

/** The job that this JVM is part of, if the launcher started it. Thread-safe. */
public final class LaunchedJob implements JobShare {

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
     * Empty in a JVM that was not started by the launcher. From this call on the JVM takes part in the job until
     * {@link #runEnded()} or until the bootstrap closes; if it ends before, it is lost.
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

    /** {@inheritDoc} Closing it reports to the launcher that this JVM's ranks are done. */
    @Override
    public Bootstrap bootstrap() {
        return bootstrap;
    }

    @Override
    public Optional<Path> directory() {
        return Optional.ofNullable(jobDirectory);
    }

    @Override
    public Optional<Path> statsFolder() {
        return directory();
    }

    @Override
    public StatusBoard board() {
        return board;
    }

    @Override
    public int firstProcessOnNode() {
        return node.first();
    }

    @Override
    public boolean ranksPrintFailures() {
        return true;
    }

    /** Does nothing: RankMain reports exceptions of the program's main method. */
    @Override
    public void runFailed(Throwable failure) {
    }

    @Override
    public void runEnded() {
        inUse = false;
    }

    /** True if no other JVM would wait for this one. */
    boolean isIdle() {
        return !inUse;
    }
}
