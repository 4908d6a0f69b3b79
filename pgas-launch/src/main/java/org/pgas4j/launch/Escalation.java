package org.pgas4j.launch;

import java.time.Duration;
import org.pgas4j.ExitCode;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;

/**
 * Steps after a failure and their times. JVMs that never joined have no state to clean up and get SIGKILL; the others
 * get time to end in order, then SIGTERM, then SIGKILL. One thread.
 */
final class Escalation {

    /** Time from SIGTERM to SIGKILL. */
    static final long TERM_MS = 3_000;

    /** Time from the failure to SIGKILL for JVMs that have not joined: enough for them to print why they could not. */
    private static final long UNJOINED_MS = 500;
    private static final long MARGIN_MS = 500;

    enum Step { NOTHING, KILL_UNJOINED, TERM, KILL }

    private final long termNs;
    private long failedNs;
    private boolean failed;
    private Step done = Step.NOTHING;

    Escalation(Duration grace) {
        this.termNs = (grace.toMillis() + MARGIN_MS) * 1_000_000;
    }

    /** Starts the clock, unless it runs. */
    void failed() {
        if (!failed) {
            failed = true;
            failedNs = System.nanoTime();
        }
    }

    /** Nanoseconds since the failure; negative without one. */
    long sinceFailureNs(long now) {
        return failed ? now - failedNs : -1;
    }

    /** The step that is due; each comes once. */
    Step due(long now) {
        long since = sinceFailureNs(now);
        if (done == Step.NOTHING && since >= UNJOINED_MS * 1_000_000) {
            done = Step.KILL_UNJOINED;
            return Step.KILL_UNJOINED;
        }
        if (done == Step.KILL_UNJOINED && since >= termNs) {
            done = Step.TERM;
            return Step.TERM;
        }
        if (done == Step.TERM && since >= termNs + TERM_MS * 1_000_000) {
            done = Step.KILL;
            return Step.KILL;
        }
        return Step.NOTHING;
    }

    /** The failure of a job that takes too long. */
    static Abort timedOut(Duration timeout) {
        return new Abort(-1, Place.here("pgasrun"), Phase.RUNNING, "the job did not end within " + timeout.toMillis()
                + " ms (--timeout)", ExitCode.JOB_TIMEOUT.number(), false);
    }
}
