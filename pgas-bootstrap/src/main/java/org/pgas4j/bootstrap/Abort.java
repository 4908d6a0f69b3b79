package org.pgas4j.bootstrap;

import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;

/**
 * The first failure of a job.
 *
 * @param rank     the rank it happened on; of a lost JVM, its first rank; -1 for the launcher itself
 * @param where    host and process, for example {@code node7 pid 4711 ranks 2-3}
 * @param phase    what was going on, for example {@code barrier} or {@code running}
 * @param message  what happened, one line
 * @param exitCode of the process that failed, as docs/errors.md
 * @param peerLost true if the rank's process is gone
 */
public record Abort(int rank, String where, String phase, String message, int exitCode, boolean peerLost) {

    /** Exit code of a job whose process or node was lost. */
    public static final int PEER_LOST = 12;

    /** Phase of a JVM that has not joined its job yet. */
    public static final String STARTING = "starting";

    /** The line everybody prints last. */
    public String line() {
        String who = rank < 0 ? "the launcher" : "rank " + rank;
        return "pgas4j: job ended by " + who + " (" + where + ") in " + phase + ": " + message;
    }

    /** What the waits that the failure ends throw. */
    public PgasException exception() {
        return peerLost ? new PeerLostException(line()) : new JobAbortedException(line(), exitCode);
    }
}
