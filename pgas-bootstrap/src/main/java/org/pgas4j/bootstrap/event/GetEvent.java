package org.pgas4j.bootstrap.event;

import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A get. */
@Name("org.pgas4j.Get")
@Label("Get")
@Enabled(false)
public final class GetEvent extends TransferEvent {

    private static final GetEvent PROBE = new GetEvent();

    /** An event that has not begun. */
    public GetEvent() {
    }

    /** True if a recording wants such events; a constant for the compiler as long as there is no recording. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }
}
