package org.pgas4j.kernel.runtime;

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
}
