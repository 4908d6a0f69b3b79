package org.pgas4j.kernel;

import java.io.Serializable;

/** Body of a loop over indices of three dimensions that runs as a kernel; the rules are {@link IndexKernel}'s. */
@FunctionalInterface
public interface IndexKernel3 extends Serializable {

    /** Runs for one index. */
    void at(long i, long j, long k);
}
