package org.pgas4j.kernel;

import java.io.Serializable;

/** A value for each index of two dimensions, computed in a kernel; the rules are {@link IndexKernel}'s. */
@FunctionalInterface
public interface DoubleKernel2 extends Serializable {

    /** Value for one index. */
    double at(long i, long j);
}
