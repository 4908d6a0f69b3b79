package org.pgas4j;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The element types of shared arrays and blocks, each with its size in bytes and its little-endian layout. */
public enum ElementType {
    BYTE(1, 1),
    INT(4, 2),
    LONG(8, 3),
    FLOAT(4, 4),
    DOUBLE(8, 5);

    /** Layouts used for element access; unaligned, because a shared pointer may have any byte address. */
    public static final ValueLayout.OfInt LAYOUT_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LAYOUT_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfFloat LAYOUT_FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfDouble LAYOUT_DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

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

    /** True for FLOAT and DOUBLE. */
    public boolean isFloatingPoint() {
        return this == FLOAT || this == DOUBLE;
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
