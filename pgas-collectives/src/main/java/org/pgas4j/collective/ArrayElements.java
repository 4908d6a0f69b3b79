package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.Reduction;

/** Elements of host memory as words. */
final class ArrayElements {

    private ArrayElements() {
    }

    /** Element {@code i}: an integer, or the bits of a {@code double}. */
    static long word(ElementType type, MemorySegment memory, long i) {
        return switch (type) {
            case BYTE -> memory.get(ValueLayout.JAVA_BYTE, i);
            case SHORT -> memory.get(ElementType.LAYOUT_SHORT, i * Short.BYTES);
            case CHAR -> (char) memory.get(ElementType.LAYOUT_SHORT, i * Short.BYTES);
            case INT -> memory.get(ElementType.LAYOUT_INT, i * Integer.BYTES);
            case LONG -> memory.get(ElementType.LAYOUT_LONG, i * Long.BYTES);
            case FLOAT -> Double.doubleToRawLongBits(memory.get(ElementType.LAYOUT_FLOAT, i * Float.BYTES));
            case DOUBLE -> memory.get(ElementType.LAYOUT_LONG, i * Double.BYTES);
            case HALF, BFLOAT16 -> Double.doubleToRawLongBits(type.toFloat(memory.get(ElementType.LAYOUT_SHORT, i * Short.BYTES)));
        };
    }

    /** Sets element {@code i} to what {@link #word} or {@link #apply} has given. */
    static void set(ElementType type, MemorySegment memory, long i, long word) {
        switch (type) {
            case BYTE -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) word);
            case SHORT, CHAR -> memory.set(ElementType.LAYOUT_SHORT, i * Short.BYTES, (short) word);
            case INT -> memory.set(ElementType.LAYOUT_INT, i * Integer.BYTES, (int) word);
            case LONG, DOUBLE -> memory.set(ElementType.LAYOUT_LONG, i * Long.BYTES, word);
            case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, i * Float.BYTES, (float) Double.longBitsToDouble(word));
            case HALF, BFLOAT16 -> memory.set(ElementType.LAYOUT_SHORT, i * Short.BYTES,
                    type.toBits((float) Double.longBitsToDouble(word)));
        }
    }

    /** {@code a op b} of two words, as the type has it: cut to its size, or rounded. */
    static long apply(ElementType type, Reduction op, long a, long b) {
        return switch (type) {
            case BYTE -> (byte) op.apply(a, b);
            case SHORT -> (short) op.apply(a, b);
            case CHAR -> (char) op.apply(a, b);
            case INT -> (int) op.apply(a, b);
            case LONG -> op.apply(a, b);
            case FLOAT -> Double.doubleToRawLongBits((float) op.apply(Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
            case DOUBLE -> Double.doubleToRawLongBits(op.apply(Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
            case HALF, BFLOAT16 -> Double.doubleToRawLongBits(
                    type.toFloat(type.toBits((float) op.apply(Double.longBitsToDouble(a), Double.longBitsToDouble(b)))));
        };
    }

    /**
     * The combination of {@code count} elements, from the first on.
     *
     * @param before what comes before them, if {@code hasBefore}
     */
    static long combine(ElementType type, Reduction op, MemorySegment elements, long count, long before, boolean hasBefore) {
        long total = hasBefore ? apply(type, op, before, word(type, elements, 0)) : word(type, elements, 0);
        for (long i = 1; i < count; i++) {
            total = apply(type, op, total, word(type, elements, i));
        }
        return total;
    }

    /** A word that compares as the element does. */
    static long key(ElementType type, long word) {
        return type.isFloatingPoint() ? flip(Double.doubleToLongBits(Double.longBitsToDouble(word))) : word;
    }

    /** The word of a key. */
    static long wordOf(ElementType type, long key) {
        return type.isFloatingPoint() ? flip(key) : key;
    }

    /** Bits of negative numbers compare the other way round. Its own inverse. */
    private static long flip(long bits) {
        return bits ^ bits >> 63 & Long.MAX_VALUE;
    }
}
