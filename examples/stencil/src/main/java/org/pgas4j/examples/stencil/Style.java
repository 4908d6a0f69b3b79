package org.pgas4j.examples.stencil;

import java.util.Locale;

/** Who exchanges halos, and how. */
public enum Style {
    /** One kernel for all steps; its blocks exchange halos with their neighbours, a notified message for each level. */
    BLOCKS,
    /** The host: three kernels, a put for each level and neighbour, a barrier in each step. */
    STAGED,
    /** The host: one kernel, a put for each level and neighbour, a barrier in each step. */
    FUSED,
    /** The host: one kernel, halos packed into one put for each neighbour, a barrier in each step. */
    PACKED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
