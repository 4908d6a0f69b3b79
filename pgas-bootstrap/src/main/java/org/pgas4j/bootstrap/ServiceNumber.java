package org.pgas4j.bootstrap;

/**
 * Numbers of the services that JVMs of a job answer, for {@link Bootstrap#serve}. They are on the wire and never
 * reused.
 */
public final class ServiceNumber {

    /** Allocations of the shared heap, kept by process 0. */
    public static final int HEAP = 1;
    /** Mailboxes of a pair of ranks. */
    public static final int PAIRS = 3;
    /** Statuses of a JVM's ranks. */
    public static final int STATUS = 4;
    /** Addresses of a rank's segments. */
    public static final int ADDRESSES = 5;
    /** Accesses for the race detector on process 0. */
    public static final int RACES = 6;
    /** Time of process 0. */
    public static final int CLOCK = 7;

    private ServiceNumber() {
    }
}
