package org.pgas4j;

/**
 * Conversions of bfloat16, the upper half of a {@code float}: sign, 8 bits of exponent, 7 of fraction. IEEE's 16-bit floats are
 * converted by {@link Float#floatToFloat16} and {@link Float#float16ToFloat}. Both are element types of buffers ({@link
 * ElementType#BFLOAT16}, {@link ElementType#HALF}), and may be kept in {@link SharedShorts}.
 */
public final class Bfloat16 {

    private static final int HALF = 0x8000;
    private static final short QUIET_NAN_BIT = 0x40;

    private Bfloat16() {
    }

    /** The nearest bfloat16, ties to even; a NaN stays one. */
    public static short of(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> 16 | QUIET_NAN_BIT);
        }
        return (short) (bits + HALF - 1 + (bits >>> 16 & 1) >>> 16);
    }

    /** The same number as a float. */
    public static float toFloat(short bfloat16) {
        return Float.intBitsToFloat(bfloat16 << 16);
    }
}
