package org.pgas4j.kernel;

import java.io.Serializable;

/** Body of one thread of a grid; the rules are {@link IndexKernel}'s. */
@FunctionalInterface
public interface ThreadKernel extends Serializable {

    /** Runs as the thread {@code self}. */
    void run(KernelThread self);
}
