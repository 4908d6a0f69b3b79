package org.pgas4j.kernel;

import java.io.Serializable;
import java.util.function.LongBinaryOperator;

/**
 * Associative operation on two whole numbers, in kernels and in reductions of device memory ({@link org.pgas4j.Reduction}); the rules are
 * {@link IndexKernel}'s. It gets them in the order of indices or of ranks, so it need not be commutative.
 */
@FunctionalInterface
public interface LongCombiner extends LongBinaryOperator, Serializable {

    /** Combination of {@code a} with {@code b}, which comes after it. */
    long combine(long a, long b);

    /** As {@link #combine}. */
    @Override
    default long applyAsLong(long a, long b) {
        return combine(a, b);
    }
}
