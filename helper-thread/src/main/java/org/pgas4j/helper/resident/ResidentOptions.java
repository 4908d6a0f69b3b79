package org.pgas4j.helper.resident;

/**
 * Settings of resident blocks.
 *
 * @param enabled  whether ranks have one
 * @param maxBytes largest transfer that it carries out
 * @param idleNs   time without a request after which it ends, until the next one
 * @param reason   why ranks have none though they were asked to, for people; empty if they have one or were not
 */
public record ResidentOptions(boolean enabled, int maxBytes, long idleNs, String reason) {

    /** No resident blocks. */
    public static final ResidentOptions OFF = new ResidentOptions(false, 0, 0, "");

    /** No resident blocks, for this reason. */
    public static ResidentOptions offBecause(String reason) {
        return new ResidentOptions(false, 0, 0, reason);
    }
}
