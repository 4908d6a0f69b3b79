package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.ElementType;

/** Arithmetic on elements below 32 bits, at the ends of their ranges. */
class RowMathTest {

    private static final int[] NUMBERS = {0, 1, -1, 100, 127, -128, 255, 256, 32_767, -32_768, 65_535, 40_000};

    private static MemorySegment of(ElementType type, int shift) {
        MemorySegment memory = MemorySegment.ofArray(new byte[(int) type.bytes(NUMBERS.length)]);
        for (int i = 0; i < NUMBERS.length; i++) {
            int value = NUMBERS[(i + shift) % NUMBERS.length];
            if (type == ElementType.BYTE) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) value);
            } else {
                memory.setAtIndex(ElementType.LAYOUT_SHORT, i, (short) value);
            }
        }
        return memory;
    }

    private static int at(MemorySegment memory, ElementType type, int i) {
        return type == ElementType.BYTE ? memory.get(ValueLayout.JAVA_BYTE, i)
                : element(type, memory.getAtIndex(ElementType.LAYOUT_SHORT, i));
    }

    private static int element(ElementType type, int value) {
        return switch (type) {
            case BYTE -> (byte) value;
            case CHAR -> (char) value;
            default -> (short) value;
        };
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"BYTE", "SHORT", "CHAR"})
    void shouldKeepTheLowBitsOfSumsAndProducts(ElementType type) {
        RowMath math = RowMath.of(type);
        MemorySegment a = of(type, 0);
        MemorySegment b = of(type, 5);
        MemorySegment c = of(type, 0);

        math.add(c, a, b, 1, NUMBERS.length - 2, 70_001, -3);

        int last = NUMBERS.length - 1;
        assertEquals(at(a, type, 0), at(c, type, 0), "before the row");
        assertEquals(at(a, type, last), at(c, type, last), "behind the row");
        for (int i = 1; i < last; i++) {
            assertEquals(element(type, 70_001 * at(a, type, i) - 3 * at(b, type, i)), at(c, type, i), "add, element " + i);
        }
        math.scale(a, 1, last - 1, -77);
        for (int i = 1; i < last; i++) {
            assertEquals(element(type, -77 * element(type, NUMBERS[i])), at(a, type, i), "scale, element " + i);
        }
        math.fill(a, 2, 3, 40_000);
        for (int i = 1; i < 6; i++) {
            boolean inside = i >= 2 && i < 5;
            assertEquals(inside ? element(type, 40_000) : element(type, -77 * element(type, NUMBERS[i])), at(a, type, i),
                    "fill, element " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"BYTE", "SHORT", "CHAR"})
    void shouldSumProductsExactly(ElementType type) {
        RowMath math = RowMath.of(type);
        MemorySegment a = of(type, 0);
        MemorySegment b = of(type, 5);
        RowMath.Sum sum = new RowMath.Sum();
        sum.integral = 1L << 40;

        math.dot(a, b, 0, NUMBERS.length, sum);

        long expected = 1L << 40;
        for (int i = 0; i < NUMBERS.length; i++) {
            expected += (long) at(a, type, i) * at(b, type, i);
        }
        assertEquals(expected, sum.integral);
    }
}
