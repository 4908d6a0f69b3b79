package org.pgas4j.kernel;

import java.io.Serializable;

/** An integer for each index, computed in a kernel; the rules are {@link IndexKernel}'s. */
@FunctionalInterface
public interface LongKernel extends Serializable {

    /** Value for one index. */
    long at(long index);
}
