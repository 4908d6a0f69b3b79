package org.pgas4j.runtime.kernel;

import org.pgas4j.ReduceOp;

/** The operations of reductions in kernels. */
final class Reductions {

    private Reductions() {
    }

    /** Number of an operation, as pgas_java.cuh has it. */
    static int code(ReduceOp op) {
        return switch (op) {
            case SUM -> 0;
            case PRODUCT -> 1;
            case MIN -> 2;
            case MAX -> 3;
            default -> throw new IllegalArgumentException("reduction in a kernel: " + op + " (expected: SUM, PRODUCT, MIN or MAX)");
        };
    }

    /** The value that changes no other one. */
    static double neutral(ReduceOp op) {
        return switch (op) {
            case SUM -> -0.0;
            case PRODUCT -> 1;
            case MIN -> Double.POSITIVE_INFINITY;
            default -> Double.NEGATIVE_INFINITY;
        };
    }

    /** As {@link #neutral}. */
    static long neutralLong(ReduceOp op) {
        return switch (op) {
            case SUM -> 0;
            case PRODUCT -> 1;
            case MIN -> Long.MAX_VALUE;
            default -> Long.MIN_VALUE;
        };
    }

    static double apply(ReduceOp op, double a, double b) {
        return switch (op) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            default -> Math.max(a, b);
        };
    }

    static long apply(ReduceOp op, long a, long b) {
        return switch (op) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            default -> Math.max(a, b);
        };
    }

    /** A value for each iteration. */
    @FunctionalInterface
    interface DoubleBody {
        double at(long i, long j, long k);
    }

    /** As {@link DoubleBody}. */
    @FunctionalInterface
    interface LongBody {
        long at(long i, long j, long k);
    }

    /** Combines the values of places of a loop. */
    static double combine(KernelRange range, JavaKernels.Places places, ReduceOp op, DoubleBody body) {
        double[] value = {neutral(op)};
        range.forEach(places.from(), places.to(), (i, j, k) -> value[0] = apply(op, value[0], body.at(i, j, k)));
        return value[0];
    }

    /** As {@link #combine}. */
    static long combineLongs(KernelRange range, JavaKernels.Places places, ReduceOp op, LongBody body) {
        long[] value = {neutralLong(op)};
        range.forEach(places.from(), places.to(), (i, j, k) -> value[0] = apply(op, value[0], body.at(i, j, k)));
        return value[0];
    }
}
