package org.pgas4j.kernel;

import java.io.Serializable;

/** A whole number for each index of two dimensions, computed in a kernel; the rules are {@link IndexKernel}'s. */
@FunctionalInterface
public interface LongKernel2 extends Serializable {

    /** Value for one index. */
    long at(long i, long j);
}
