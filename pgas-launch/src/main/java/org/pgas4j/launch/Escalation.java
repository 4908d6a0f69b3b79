package org.pgas4j.launch;

import java.time.Duration;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Place;

/**
 * What is done after a failure and when: SIGKILL for who never joined the job and so has nothing to end in order; for the
 * others time to end in order, then SIGTERM, then SIGKILL. One thread.
 */
final class Escalation {

    /** Time from SIGTERM to SIGKILL. */
    static final long TERM_MS = 3_000;

    /** Time from the failure to the end of who has not joined by then: enough to say why it could not. */
    private static final long NEWCOMERS_MS = 500;
    private static final long MARGIN_MS = 500;

    enum Step { NOTHING, KILL_NEWCOMERS, TERM, KILL }

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

    /** What to do now; each step comes once. */
    Step due(long now) {
        long since = sinceFailureNs(now);
        if (done == Step.NOTHING && since >= NEWCOMERS_MS * 1_000_000) {
            done = Step.KILL_NEWCOMERS;
            return Step.KILL_NEWCOMERS;
        }
        if (done == Step.KILL_NEWCOMERS && since >= termNs) {
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
        return new Abort(-1, Place.here("pgasrun"), "running", "the job did not end within " + timeout.toMillis()
                + " ms (--timeout)", ExitStatus.JOB_TIMEOUT, false);
    }
}
