package org.pgas4j.bootstrap.event;

import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A barrier, from the begin of its wait. */
@Name("org.pgas4j.Barrier")
@Label("Barrier")
@Enabled(false)
public final class BarrierEvent extends OperationEvent {

    private static final BarrierEvent PROBE = new BarrierEvent();

    /** An event that has not begun. */
    public BarrierEvent() {
    }

    /** True if a recording wants such events; a constant for the compiler as long as there is no recording. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }
}
