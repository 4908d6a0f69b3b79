package org.pgas4j.bootstrap.event;

import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The launch of a kernel: the time in which the host queues it, not the time in which the device runs it. */
@Name("org.pgas4j.KernelLaunch")
@Label("Kernel launch")
@Enabled(false)
public final class KernelEvent extends RankEvent {

    private static final KernelEvent PROBE = new KernelEvent();

    @Label("Kernel")
    String kernel;

    /** An event that has not begun. */
    public KernelEvent() {
    }

    /** True if a recording wants such events; a constant for the compiler as long as there is no recording. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }

    /** Ends the event and records it if it was longer than the threshold: {@code by} launched the kernel {@code name}. */
    public void commit(int by, String name) {
        end();
        if (shouldCommit()) {
            rank = by;
            kernel = name;
            commit();
        }
    }
}
