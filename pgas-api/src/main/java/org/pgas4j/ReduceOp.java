package org.pgas4j;

/** How a reduction combines two elements. All are commutative. */
public enum ReduceOp implements Reduction {
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
    LOGICAL_OR(9);

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
     * @throws IllegalArgumentException for AND, OR and XOR
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
            case AND, OR, XOR -> throw new IllegalArgumentException(this + " is not defined for floating-point elements");
        };
    }

    /** {@code a op b}; SUM and PRODUCT wrap as Java's operators do. */
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
        };
    }

    @Override
    public boolean isDefinedFor(ElementType type) {
        return !type.isFloatingPoint() || this != AND && this != OR && this != XOR;
    }

    @Override
    public boolean isCommutative() {
        return true;
    }
}
