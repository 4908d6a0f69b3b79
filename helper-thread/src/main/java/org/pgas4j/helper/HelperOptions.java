package org.pgas4j.helper;

/**
 * Settings of helper threads.
 *
 * @param mode        {@code off}, {@code on} or {@code auto}
 * @param threads     of the JVM or of each device
 * @param perDevice   true if {@code threads} counts for each device
 * @param thresholdNs how long a request waits before a rank is served that did not say it is busy, or any in mode auto
 * @param waiting     {@code auto}, {@code spin}, {@code yield} or {@code park}
 * @param cpus        processors to bind the threads to, in turn; empty to bind none
 * @param crowded     true if ranks and helpers outnumber processors
 */
public record HelperOptions(String mode, int threads, boolean perDevice, long thresholdNs, String waiting, int[] cpus,
                            boolean crowded) {

    /** True if there are helper threads at all. */
    public boolean enabled() {
        return !mode.equals("off");
    }
}
