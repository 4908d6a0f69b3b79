package org.pgas4j;

/**
 * Settings of a JVM's helper threads that may be changed while they run, for studies and tools that read the platform's MBean
 * server. {@link Diagnostics#publish} registers it as {@code org.pgas4j:type=HelperSettings,run=RUN,rank=RANK}; the beans of
 * all ranks of a JVM change the same helpers. A helper follows a change with its next look for requests. Thread-safe.
 */
public interface HelperSettingsMXBean {

    /** Mode: {@code on} or {@code auto}, as {@link PgasKey#HELPER}. */
    String getMode();

    /**
     * Sets the mode.
     *
     * @throws IllegalArgumentException if it is neither {@code on} nor {@code auto}: helpers are not made or ended by it
     */
    void setMode(String mode);

    /** Time that a request waits before a helper serves it, as {@link PgasKey#HELPER_THRESHOLD}, in nanoseconds. */
    long getThresholdNs();

    /**
     * Sets that time.
     *
     * @throws IllegalArgumentException if it is below 1
     */
    void setThresholdNs(long ns);

    /** Way of an idle helper to wait: {@code auto}, {@code spin}, {@code yield} or {@code park}, as {@link PgasKey#HELPER_WAIT}. */
    String getWaiting();

    /**
     * Sets what an idle helper does.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    void setWaiting(String waiting);

    /** Number of helper threads. */
    int getThreads();
}
