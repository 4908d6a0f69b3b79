package org.pgas4j;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The element types of shared arrays and blocks, each with its size in bytes and its little-endian layout. */
public enum ElementType {
    BYTE(1, 1),
    INT(4, 2),
    LONG(8, 3),
    FLOAT(4, 4),
    DOUBLE(8, 5),
    /** IEEE's 16-bit floats (binary16), converted by {@link Float#floatToFloat16} and {@link Float#float16ToFloat}. */
    HALF(2, 6),
    /** bfloat16, the upper half of a float, converted by {@link Bfloat16}. */
    BFLOAT16(2, 7),
    /** Signed integers of 16 bits. */
    SHORT(2, 8),
    /** Unsigned integers of 16 bits, as Java's {@code char}. */
    CHAR(2, 9);

    /** Layouts used for element access; unaligned, because a shared pointer may have any byte address. */
    public static final ValueLayout.OfInt LAYOUT_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LAYOUT_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfFloat LAYOUT_FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfDouble LAYOUT_DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Layout of SHORT, and of the bits of HALF, BFLOAT16 and CHAR. */
    public static final ValueLayout.OfShort LAYOUT_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final int bytes;
    private final int code;

    ElementType(int bytes, int code) {
        this.bytes = bytes;
        this.code = code;
    }

    /** Number in messages; literal and never reused. */
    public int code() {
        return code;
    }

    /** True for FLOAT, DOUBLE, HALF and BFLOAT16. */
    public boolean isFloatingPoint() {
        return this == FLOAT || this == DOUBLE || is16BitFloat();
    }

    /** True for HALF and BFLOAT16. */
    public boolean is16BitFloat() {
        return this == HALF || this == BFLOAT16;
    }

    /**
     * The element nearest to a value, as 16 bits; ties to even.
     *
     * @throws IllegalArgumentException if it is neither HALF nor BFLOAT16; so does {@link #toFloat}
     */
    public short toBits(float value) {
        return switch (this) {
            case HALF -> Float.floatToFloat16(value);
            case BFLOAT16 -> Bfloat16.of(value);
            default -> throw noHalf();
        };
    }

    /** The value of an element of 16 bits. */
    public float toFloat(short bits) {
        return switch (this) {
            case HALF -> Float.float16ToFloat(bits);
            case BFLOAT16 -> Bfloat16.toFloat(bits);
            default -> throw noHalf();
        };
    }

    private IllegalArgumentException noHalf() {
        return new IllegalArgumentException("16 bits of " + this + " (expected: HALF or BFLOAT16)");
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    /**
     * Bytes of {@code count} elements.
     *
     * @throws IllegalArgumentException if count is negative or the product does not fit a long
     */
    public long bytes(long count) {
        if (count < 0 || count > Long.MAX_VALUE / bytes) {
            throw new IllegalArgumentException("element count out of range: count=" + count + " type=" + this
                    + " (expected: 0.." + Long.MAX_VALUE / bytes + ")");
        }
        return count * bytes;
    }
}
