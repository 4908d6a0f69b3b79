package org.pgas4j.helper.resident;

import java.util.concurrent.TimeUnit;

/**
 * Settings of resident blocks.
 *
 * @param enabled  whether ranks have one
 * @param maxBytes largest transfer that it carries out
 * @param idleNs   time without a request after which it ends, until the next one
 * @param lifeNs   time after which it ends though it is busy: for calls of other libraries that wait for it
 * @param reason   why ranks have none though they were asked to, for people; empty if they have one or were not
 */
public record ResidentOptions(boolean enabled, int maxBytes, long idleNs, long lifeNs, String reason) {

    /** No resident blocks. */
    public static final ResidentOptions OFF = offBecause("");

    private static final long LIFE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Resident blocks for transfers of up to that many bytes. */
    public static ResidentOptions on(int maxBytes, long idleNs) {
        return new ResidentOptions(true, maxBytes, idleNs, LIFE_NS, "");
    }

    /** No resident blocks, for this reason. */
    public static ResidentOptions offBecause(String reason) {
        return new ResidentOptions(false, 0, 0, 0, reason);
    }
}
