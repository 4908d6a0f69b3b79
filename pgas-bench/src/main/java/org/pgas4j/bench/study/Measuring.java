package org.pgas4j.bench.study;

/**
 * Amount that a study measures, beyond its own choice.
 *
 * @param warmUpNs nanoseconds before the first sample; {@link #OWN} for the study's own, {@link #DETECTED} until times settle
 * @param samples  of each line that is not measured by time; 0 for the study's own
 * @param seed     of what is random
 */
public record Measuring(long warmUpNs, int samples, long seed) {

    /** Warm-up as the study chooses it. */
    public static final long OWN = -1;
    /** Warm-up until {@link SettledTimes} says that times have settled, or ten times as long as the study's own. */
    public static final long DETECTED = -2;
    /** Measuring as studies choose it. */
    public static final Measuring DEFAULT = new Measuring(OWN, 0, 1);

    private static final int MAX_TIMES = 10;

    /** Nanoseconds to warm up at least. */
    long leastWarmUpNs(long own) {
        return warmUpNs >= 0 ? warmUpNs : own;
    }

    /** Nanoseconds to warm up at most. */
    long mostWarmUpNs(long own) {
        return warmUpNs == DETECTED ? MAX_TIMES * own : leastWarmUpNs(own);
    }
}
