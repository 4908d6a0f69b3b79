package org.pgas4j.bootstrap.event;

import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A put. */
@Name("org.pgas4j.Put")
@Label("Put")
@Enabled(false)
public final class PutEvent extends TransferEvent {

    private static final PutEvent PROBE = new PutEvent();

    /** An event that has not begun. */
    public PutEvent() {
    }

    /** True if a recording wants such events; a constant for the compiler as long as there is no recording. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }
}
