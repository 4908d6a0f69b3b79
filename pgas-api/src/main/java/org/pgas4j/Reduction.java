package org.pgas4j;

import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.LongCombiner;

/**
 * How two elements are combined: a {@link ReduceOp}, or a function of the program. Functions must be associative; they are
 * given elements in the order of ranks, or of indices, so they need not be commutative. They run on the host, but for those on
 * device memory that are lambda expressions or references to static methods, use numbers alone, their own and captured ones, and
 * keep to the rules of {@link org.pgas4j.kernel.IndexKernel kernels}: they are translated, and run on the device where it combines
 * elements by a {@link ReduceOp}. {@link PgasKey#KERNEL_EXPLAIN} prints why one was refused. What a function throws on a device is
 * the cause of a {@link KernelException} of the member whose device has run it.
 */
public sealed interface Reduction permits ReduceOp, Reduction.OfLongs, Reduction.OfDoubles {

    /** {@code a op b} of two floating-point values. */
    double apply(double a, double b);

    /** {@code a op b} of two integers. */
    long apply(long a, long b);

    /** True if elements of the type can be combined. */
    boolean isDefinedFor(ElementType type);

    /** True if {@code a op b} equals {@code b op a}: the elements of one rank may be combined before those of another. */
    boolean isCommutative();

    /** A function of integers, for BYTE, SHORT, CHAR, INT and LONG elements; results are cut to the element's size. */
    static OfLongs ofLongs(LongBinaryOperator function) {
        return new OfLongs(Objects.requireNonNull(function, "function"), false);
    }

    /** As {@link #ofLongs(LongBinaryOperator)}, for device memory as well; takes lambda expressions before that one. */
    static OfLongs ofLongs(LongCombiner function) {
        return ofLongs((LongBinaryOperator) function);
    }

    /** A function of floating-point values, for FLOAT, DOUBLE, HALF and BFLOAT16; results are rounded to the element's type. */
    static OfDoubles ofDoubles(DoubleBinaryOperator function) {
        return new OfDoubles(Objects.requireNonNull(function, "function"), false);
    }

    /** As {@link #ofDoubles(DoubleBinaryOperator)}, for device memory as well; takes lambda expressions before that one. */
    static OfDoubles ofDoubles(DoubleCombiner function) {
        return ofDoubles((DoubleBinaryOperator) function);
    }

    /**
     * A function of integers.
     *
     * @param isCommutative true allows shorter ways over shared arrays
     */
    record OfLongs(LongBinaryOperator function, boolean isCommutative) implements Reduction {

        /** The same function, known to be commutative. */
        public OfLongs commutative() {
            return new OfLongs(function, true);
        }

        @Override
        public double apply(double a, double b) {
            throw new IllegalArgumentException("a function of integers cannot combine floating-point elements");
        }

        @Override
        public long apply(long a, long b) {
            return function.applyAsLong(a, b);
        }

        @Override
        public boolean isDefinedFor(ElementType type) {
            return !type.isFloatingPoint();
        }

        @Override
        public String toString() {
            return "a function of integers";
        }
    }

    /**
     * A function of floating-point values.
     *
     * @param isCommutative true allows shorter ways over shared arrays
     */
    record OfDoubles(DoubleBinaryOperator function, boolean isCommutative) implements Reduction {

        /** The same function, known to be commutative. */
        public OfDoubles commutative() {
            return new OfDoubles(function, true);
        }

        @Override
        public double apply(double a, double b) {
            return function.applyAsDouble(a, b);
        }

        @Override
        public long apply(long a, long b) {
            throw new IllegalArgumentException("a function of floating-point values cannot combine integers");
        }

        @Override
        public boolean isDefinedFor(ElementType type) {
            return type.isFloatingPoint();
        }

        @Override
        public String toString() {
            return "a function of floating-point values";
        }
    }
}
