package org.pgas4j.bootstrap.event;

import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;

/**
 * Makes events known to the flight recorder once it is in use: the first event that it knows makes Java set it up, which is a fifth
 * of a rank's start. Until then no event is enabled, which is a constant for the compiler. Any thread.
 */
public final class Events {

    private static final List<Class<? extends Event>> ALL = List.of(PutEvent.class, GetEvent.class, WaitEvent.class,
            BarrierEvent.class, CollectiveEvent.class, KernelEvent.class);

    private static volatile boolean known;

    private Events() {
    }

    /** Looks whether there is a recording: ranks do at their start, and before each operation that may wait. */
    public static void look() {
        if (!known && FlightRecorder.isInitialized()) {
            known = true;
            ALL.forEach(FlightRecorder::register);
        }
    }
}
