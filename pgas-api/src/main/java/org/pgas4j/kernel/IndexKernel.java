package org.pgas4j.kernel;

import java.io.Serializable;

/**
 * Body of a loop over indices that runs as a kernel. It may use numbers, records of numbers, shared arrays, elements of global
 * arrays, and buffers of its rank's device or of page-locked memory, all as effectively final local variables, and calls static
 * methods that do the same. Iterations run in any order, many at once.
 */
@FunctionalInterface
public interface IndexKernel extends Serializable {

    /** Runs for one index. */
    void at(long index);
}
