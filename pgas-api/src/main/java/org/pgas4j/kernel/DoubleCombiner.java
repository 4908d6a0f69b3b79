package org.pgas4j.kernel;

import java.io.Serializable;
import java.util.function.DoubleBinaryOperator;

/**
 * Associative operation on two values, in kernels and in reductions of device memory ({@link org.pgas4j.Reduction}); the rules are
 * {@link IndexKernel}'s. It gets them in the order of indices or of ranks, so it need not be commutative.
 */
@FunctionalInterface
public interface DoubleCombiner extends DoubleBinaryOperator, Serializable {

    /** Combination of {@code a} with {@code b}, which comes after it. */
    double combine(double a, double b);

    /** As {@link #combine}. */
    @Override
    default double applyAsDouble(double a, double b) {
        return combine(a, b);
    }
}
