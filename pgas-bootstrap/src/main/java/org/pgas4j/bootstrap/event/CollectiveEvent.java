package org.pgas4j.bootstrap.event;

import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A collective operation other than a barrier. */
@Name("org.pgas4j.Collective")
@Label("Collective operation")
@Enabled(false)
public final class CollectiveEvent extends OperationEvent {

    private static final CollectiveEvent PROBE = new CollectiveEvent();

    /** An event that has not begun. */
    public CollectiveEvent() {
    }

    /** True if a recording wants such events; a constant for the compiler as long as there is no recording. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }
}
