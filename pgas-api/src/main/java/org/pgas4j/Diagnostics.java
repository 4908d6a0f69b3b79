package org.pgas4j;

/** Insight into one rank's transfers. Used by the rank's thread. */
public interface Diagnostics {

    /** Name of the route that a transfer of {@code bytes} between local memory of {@code local} kind and {@code remote} takes. */
    String route(MemoryKind local, SharedPointer remote, long bytes);

    /**
     * Explains the route of a transfer of {@code bytes} between local memory of {@code local} kind and {@code remote}: protocol,
     * the threshold that decides, and its origin.
     */
    String explain(MemoryKind local, SharedPointer remote, long bytes);

    /** This rank's route table as text. */
    String explain();

    /**
     * A snapshot of this rank's counters: operations and bytes by peer, route and size, waits by kind, and which ranks came
     * late to barriers. {@link RankCounters#minus} gives the difference of two. Where the rank has launched blocks, what they have
     * transferred is read from the device, which waits for a copy.
     */
    RankCounters counters();

    /**
     * Registers this rank's counters with the platform's MBean server, as {@link RankCountersMXBean}, and the settings of this
     * JVM's helper threads, if it has any, as {@link HelperSettingsMXBean}. Closing the result, or the end of the rank, removes
     * them; until then further calls change nothing.
     */
    Scope publish();

    /** Work of helper threads for this rank since the last call. */
    HelperStats helperStats();
}
