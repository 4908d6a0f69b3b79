package org.pgas4j.bootstrap;

import org.pgas4j.ExitCode;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;

/**
 * The first failure of a job.
 *
 * @param id       random, drawn where the failure was found: a process recognises its own failure by it
 * @param rank     the rank it happened on; of a lost JVM, its first rank; -1 for the launcher itself
 * @param where    host and process, for example {@code node7 pid 4711 ranks 2-3}
 * @param phases   of the rank, or of the ranks of the JVM
 * @param message  cause, one line
 * @param exitCode of the process that failed: an {@link org.pgas4j.ExitCode} or the program's own
 * @param peerLost true if the rank's process is gone
 */
public record Abort(long id, int rank, String where, Phases phases, String message, int exitCode, boolean peerLost) {

    /** A failure with a new id. */
    public Abort(int rank, String where, Phases phases, String message, int exitCode, boolean peerLost) {
        this(JobSecret.randomLong(), rank, where, phases, message, exitCode, peerLost);
    }

    /** A failure with a new id, of one phase. */
    public Abort(int rank, String where, Phase phase, String message, int exitCode, boolean peerLost) {
        this(rank, where, Phases.all(phase), message, exitCode, peerLost);
    }

    /** The phase of the rank; of several ranks, that of the first. */
    public Phase phase() {
        return phases.first();
    }

    /** The last line of every process of the job. */
    public String line() {
        String source = rank < 0 ? "the launcher" : "rank " + rank;
        return "pgas4j: job ended by " + source + " (" + where + ") in " + phases.text() + ": " + message;
    }

    /** The lost rank and the cause, as text, where the job goes on. */
    public String loss() {
        return "rank " + rank + " (" + where + ") was lost in " + phases.text() + ": " + message;
    }

    /** Exit status of the job: a process that ended well before its ranks were done has failed all the same. */
    public int status() {
        return ExitCode.DONE.is(exitCode) ? ExitCode.PROGRAM.number() : exitCode;
    }

    /** Thrown by the waits that the failure ends. */
    public PgasException exception() {
        return peerLost ? new PeerLostException(line()) : new JobAbortedException(line(), exitCode);
    }
}
