package org.pgas4j.kernel.runtime;

import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;

/** The operations of reductions in kernels. */
final class Reductions {

    private Reductions() {
    }

    /**
     * Number of an operation, as pgas_java.cuh has it.
     *
     * @throws IllegalArgumentException if values of {@code type} do not have it
     */
    static int code(ReduceOp op, ElementType type) {
        if (!op.isDefinedFor(type)) {
            throw new IllegalArgumentException("reduction in a kernel: " + op + " of " + type + " (integers only: reduceLongs)");
        }
        return op.ordinal();
    }

    /** The value that changes no other one; of logical operations one that is true or false. */
    static double neutral(ReduceOp op) {
        return switch (op) {
            case SUM -> -0.0;
            case PRODUCT, LOGICAL_AND -> 1;
            case MIN -> Double.POSITIVE_INFINITY;
            case MAX -> Double.NEGATIVE_INFINITY;
            case LOGICAL_OR, AND, OR, XOR, UNSIGNED_MIN, UNSIGNED_MAX -> 0; // all but the first have been refused
        };
    }

    /** As {@link #neutral}. */
    static long neutralLong(ReduceOp op) {
        return switch (op) {
            case SUM, OR, XOR, LOGICAL_OR, UNSIGNED_MAX -> 0;
            case PRODUCT, LOGICAL_AND -> 1;
            case MIN -> Long.MAX_VALUE;
            case MAX -> Long.MIN_VALUE;
            case AND, UNSIGNED_MIN -> -1;
        };
    }

    /** True if results are 0 and 1, of whatever values. */
    static boolean isLogical(ReduceOp op) {
        return op == ReduceOp.LOGICAL_AND || op == ReduceOp.LOGICAL_OR;
    }
}
