package org.pgas4j.fastpath.protocol;

import java.util.function.Supplier;

/** How a rank passes time in a wait: {@code begin()}, then {@code pause(why)} until what is waited for is there. */
public interface IdleStrategy {

    /** Starts a wait. */
    void begin();

    /**
     * Passes a little time.
     *
     * @param why what is waited for and for which rank, asked when the deadline passes
     * @throws org.pgas4j.PgasTimeoutException if the deadline has passed
     * @throws org.pgas4j.PgasException        if the job has failed
     */
    void pause(Supplier<String> why);
}
