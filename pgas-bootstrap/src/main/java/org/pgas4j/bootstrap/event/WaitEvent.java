package org.pgas4j.bootstrap.event;

import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** An operation that may wait and is not collective: for a notification, a transfer, a lock. */
@Name("org.pgas4j.Wait")
@Label("Operation that may wait")
@Enabled(false)
public final class WaitEvent extends OperationEvent {

    private static final WaitEvent PROBE = new WaitEvent();

    /** An event that has not begun. */
    public WaitEvent() {
    }

    /** True if a recording wants such events; a constant for the compiler as long as there is no recording. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }
}
