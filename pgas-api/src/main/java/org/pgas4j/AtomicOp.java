package org.pgas4j;

import org.pgas4j.kernel.AtomicOperation;

/**
 * An operation that reads and writes one word at once, as UPC 1.3's {@code upc_atomic.h} and OpenSHMEM 1.6 have them. UPC's
 * {@code INC} and {@code DEC} are {@link #ADD} of 1 and -1, {@code SUB} that of the negative.
 */
public enum AtomicOp implements AtomicOperation {
    /** Reads. */
    GET(0),
    /** Writes the operand. */
    SET(1),
    /** Writes the operand and returns what was there. */
    SWAP(2),
    /** Writes the operand if the word is equal, bit by bit, to the comparand. */
    COMPARE_SWAP(3),
    /** Adds; integers wrap. */
    ADD(4),
    /** Multiplies; integers wrap. */
    MULTIPLY(5),
    /** Smaller of the two, with a sign; a NaN wins. */
    MIN(6),
    /** Larger of the two, with a sign; a NaN wins. */
    MAX(7),
    /** Bitwise; of INT and LONG. */
    AND(8),
    /** Bitwise; of INT and LONG. */
    OR(9),
    /** Bitwise; of INT and LONG. */
    XOR(10),
    /** Smaller of the two without a sign, as UPC's UINT and ULONG have it; of INT and LONG. */
    UNSIGNED_MIN(11),
    /** Larger of the two without a sign; of INT and LONG. */
    UNSIGNED_MAX(12);

    private static final AtomicOp[] BY_CODE = values();

    private final int code;

    AtomicOp(int code) {
        this.code = code;
    }

    /** Number of the operation in messages and kernels; never reused. */
    public int code() {
        return code;
    }

    /**
     * The operation with a code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static AtomicOp ofCode(long code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("atomic operation " + code + " (expected: 0.." + (BY_CODE.length - 1) + ")");
        }
        return BY_CODE[(int) code];
    }

    /** The integer that the operation leaves of {@code old}, where it writes; also of ints that are extended. */
    @Override
    public long combine(long old, long operand) {
        return switch (this) {
            case GET -> old;
            case SET, SWAP, COMPARE_SWAP -> operand;
            case ADD -> old + operand;
            case MULTIPLY -> old * operand;
            case MIN -> Math.min(old, operand);
            case MAX -> Math.max(old, operand);
            case AND -> old & operand;
            case OR -> old | operand;
            case XOR -> old ^ operand;
            case UNSIGNED_MIN -> Long.compareUnsigned(old, operand) <= 0 ? old : operand;
            case UNSIGNED_MAX -> Long.compareUnsigned(old, operand) >= 0 ? old : operand;
        };
    }

    /**
     * The number that the operation leaves of {@code old}, where it writes; also of floats, whose result is then rounded.
     *
     * @throws IllegalArgumentException if floating-point words do not have the operation
     */
    @Override
    public double combine(double old, double operand) {
        return switch (this) {
            case GET -> old;
            case SET, SWAP, COMPARE_SWAP -> operand;
            case ADD -> old + operand;
            case MULTIPLY -> old * operand;
            case MIN -> Math.min(old, operand);
            case MAX -> Math.max(old, operand);
            case AND, OR, XOR, UNSIGNED_MIN, UNSIGNED_MAX -> throw new IllegalArgumentException(this + " of floating-point words");
        };
    }

    @Override
    public boolean hasComparand() {
        return this == COMPARE_SWAP;
    }

    /** True if words of {@code type} have the operation. */
    public boolean isOf(ElementType type) {
        return switch (type) {
            case INT, LONG -> true;
            case FLOAT, DOUBLE -> code < AND.code;
            default -> false;
        };
    }
}
