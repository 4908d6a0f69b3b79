package org.pgas4j.fastpath.protocol;

import java.util.function.Supplier;

/** Passes a rank's time in a wait: {@code begin()}, then {@code pause(why)} until the condition holds. */
public interface IdleStrategy {

    /** Starts a wait. */
    void begin();

    /**
     * Passes a little time.
     *
     * @param why describes the wait and the rank it waits for; called when the deadline passes
     * @throws org.pgas4j.PgasTimeoutException if the deadline has passed
     * @throws org.pgas4j.PgasException        if the job has failed
     */
    void pause(Supplier<String> why);
}
