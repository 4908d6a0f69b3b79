package org.pgas4j.kernel;

import java.io.Serializable;

/** A value for each index, computed in a kernel; the rules are {@link IndexKernel}'s. */
@FunctionalInterface
public interface DoubleKernel extends Serializable {

    /** Value for one index. */
    double at(long index);
}
