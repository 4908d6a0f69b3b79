package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Gemm.Precision;

@Timeout(10)
class ElementTypeTest {

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"HALF", "BFLOAT16"})
    void shouldKeepEveryValueOf16Bits(ElementType type) {
        for (int bits = Short.MIN_VALUE; bits <= Short.MAX_VALUE; bits++) {
            float value = type.toFloat((short) bits);
            short back = type.toBits(value);
            assertTrue(back == bits || Float.isNaN(value) && Float.isNaN(type.toFloat(back)), type + " " + bits);
        }
    }

    @Test
    void shouldRoundToTheNearest() {
        assertEquals(0.099975586f, ElementType.HALF.toFloat(ElementType.HALF.toBits(0.1f)));
        assertEquals(0.100097656f, ElementType.BFLOAT16.toFloat(ElementType.BFLOAT16.toBits(0.1f)));
        assertEquals(Float.POSITIVE_INFINITY, ElementType.HALF.toFloat(ElementType.HALF.toBits(70_000)));
    }

    @Test
    void shouldRefuse16BitsOfOtherTypes() {
        assertThrows(IllegalArgumentException.class, () -> ElementType.FLOAT.toBits(1));
        assertThrows(IllegalArgumentException.class, () -> ElementType.BYTE.toFloat((short) 1));
    }

    @Test
    void shouldHaveNumbersOfTheirOwn() {
        assertEquals(ElementType.values().length, Arrays.stream(ElementType.values()).map(ElementType::code).distinct().count());
    }

    @Test
    void shouldSayWhichBuffersAPrecisionTakes() {
        for (Precision precision : Precision.values()) {
            assertTrue(precision.takes(precision.inputType()) && precision.makes(precision.resultType()), precision.toString());
            assertEquals(precision.is16Bit(), precision.takes(ElementType.BYTE) && precision != Precision.INT8);
        }
        assertTrue(Precision.HALF.makes(ElementType.FLOAT));
        assertFalse(Precision.HALF.takes(ElementType.BFLOAT16));
        assertEquals(Precision.INT8, Precision.of(ElementType.BYTE));
        assertThrows(IllegalArgumentException.class, () -> Precision.of(ElementType.LONG));
    }
}
