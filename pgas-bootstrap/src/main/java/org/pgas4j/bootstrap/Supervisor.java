package org.pgas4j.bootstrap;

import org.pgas4j.ExitCode;

/** Watches JVMs of a job for their coordinator and ends the job when one of them is lost. Thread-safe. */
public abstract class Supervisor implements Coordinator.Listener {

    private final ProcessLayout layout;
    private volatile Coordinator coordinator;

    protected Supervisor(ProcessLayout layout) {
        this.layout = layout;
    }

    /** Sets the coordinator; before the first JVM is lost. */
    public final void supervise(Coordinator started) {
        coordinator = started;
    }

    protected final ProcessLayout layout() {
        return layout;
    }

    /** True if the job has failed. */
    protected final boolean hasFailed() {
        return coordinator.aborted() != null;
    }

    /** Ends the job unless it has failed before. */
    protected final void end(Abort cause) {
        if (!hasFailed()) {
            coordinator.abort(cause);
        }
    }

    /** A JVM is lost: ends the job unless it has failed before, or goes on ({@code pgas.lost=event}). */
    protected final void lost(int process, String what) {
        lost(process, rank(process), what, ExitCode.PEER_LOST.number());
    }

    /** As {@link #lost(int, String)}, by one of its ranks and with an exit code of its own. */
    protected final void lost(int process, int rank, String what, int exitCode) {
        if (!hasFailed()) {
            coordinator.lost(new Abort(rank, place(process), phases(process), what, exitCode, true));
        }
    }

    /** The rank that a failure of a JVM names. */
    protected int rank(int process) {
        return layout.firstRank(process);
    }

    /** Host, process id and ranks that a failure of a JVM names. */
    protected abstract String place(int process);

    /** Phases that a failure of a JVM names. */
    protected Phases phases(int process) {
        return Phases.all(Phase.RUNNING);
    }
}
