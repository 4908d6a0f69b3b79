package org.pgas4j;

import org.pgas4j.kernel.BlockReduction;

/** How a reduction combines two elements. All are commutative. */
public enum ReduceOp implements Reduction, BlockReduction {
    SUM(1),
    PRODUCT(2),
    MIN(3),
    MAX(4),
    /** Bit by bit; integers only, as the two that follow. */
    AND(5),
    OR(6),
    XOR(7),
    /** 1 if both are not 0, else 0. */
    LOGICAL_AND(8),
    /** 1 if one is not 0, else 0. */
    LOGICAL_OR(9),
    /** The smaller of two integers without signs, whose size is that of the elements; integers only, as the one that follows. */
    UNSIGNED_MIN(10),
    /** The larger of two integers without signs. */
    UNSIGNED_MAX(11);

    private final int code;

    ReduceOp(int code) {
        this.code = code;
    }

    /** Number in messages; literal and never reused. */
    public int code() {
        return code;
    }

    /**
     * {@code a op b}; MIN and MAX follow {@link Math#min(double, double)}, so a NaN wins.
     *
     * @throws IllegalArgumentException for AND, OR, XOR, UNSIGNED_MIN and UNSIGNED_MAX
     */
    @Override
    public double apply(double a, double b) {
        return switch (this) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
            case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
            case AND, OR, XOR, UNSIGNED_MIN, UNSIGNED_MAX ->
                throw new IllegalArgumentException(this + " is not defined for floating-point elements");
        };
    }

    /**
     * {@code a op b}; SUM and PRODUCT wrap as Java's operators do. Numbers without signs may be given extended with or without the
     * sign of their elements, both in the same way: neither changes their order.
     */
    @Override
    public long apply(long a, long b) {
        return switch (this) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
            case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
            case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
            case UNSIGNED_MIN -> Long.compareUnsigned(a, b) < 0 ? a : b;
            case UNSIGNED_MAX -> Long.compareUnsigned(a, b) > 0 ? a : b;
        };
    }

    @Override
    public boolean isDefinedFor(ElementType type) {
        return !type.isFloatingPoint() || switch (this) {
            case SUM, PRODUCT, MIN, MAX, LOGICAL_AND, LOGICAL_OR -> true;
            case AND, OR, XOR, UNSIGNED_MIN, UNSIGNED_MAX -> false;
        };
    }

    @Override
    public boolean isCommutative() {
        return true;
    }
}
