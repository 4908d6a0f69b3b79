package org.pgas4j.examples.ring;

import java.util.Locale;

/** Who passes the token on. */
public enum Style {
    /** The blocks of all devices, in one kernel. */
    BLOCKS,
    /** Each rank's stream; the host has queued it all before. */
    STREAM,
    /** Each rank's host, between two kernels. */
    HOST,
    /** Each rank's host, the token in host memory, no device. */
    CPU;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
