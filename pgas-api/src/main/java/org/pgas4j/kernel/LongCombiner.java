package org.pgas4j.kernel;

import java.io.Serializable;

/**
 * Associative operation on two whole numbers, in kernels; the rules are {@link IndexKernel}'s. It gets them in the order of
 * indices, so it need not be commutative.
 */
@FunctionalInterface
public interface LongCombiner extends Serializable {

    /** Combination of {@code a} with {@code b}, which comes after it. */
    long combine(long a, long b);
}
