package org.pgas4j.kernels;

/** Constants as C++ literals of exactly their value. */
final class Literals {

    private Literals() {
    }

    static String of(int value) {
        return value == Integer.MIN_VALUE ? "(-2147483647 - 1)" : value < 0 ? "(" + value + ")" : Integer.toString(value);
    }

    static String of(long value) {
        if (value == Long.MIN_VALUE) {
            return "(-9223372036854775807LL - 1)";
        }
        return value < 0 ? "(" + value + "LL)" : value + "LL";
    }

    /** Infinities and NaN have no literal: they are made of their bits. For negative zero see the function. */
    static String of(float value) {
        if (Float.floatToRawIntBits(value) == Integer.MIN_VALUE) {
            return "pgas_negative_zero()";
        }
        if (!Float.isFinite(value)) {
            return "pgas_float_of(" + of(Float.floatToIntBits(value)) + ")";
        }
        return signed(Float.toHexString(value) + "f");
    }

    static String of(double value) {
        if (!Double.isFinite(value)) {
            return "pgas_double_of(" + of(Double.doubleToLongBits(value)) + ")";
        }
        return signed(Double.toHexString(value));
    }

    private static String signed(String text) {
        return text.startsWith("-") ? "(" + text + ")" : text;
    }
}
