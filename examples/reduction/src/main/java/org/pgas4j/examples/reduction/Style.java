package org.pgas4j.examples.reduction;

import java.util.Locale;

/** Who communicates. */
public enum Style {
    /** Blocks with each other, in one kernel. */
    BLOCKS,
    /** The host, after a normal kernel. */
    HOST;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
