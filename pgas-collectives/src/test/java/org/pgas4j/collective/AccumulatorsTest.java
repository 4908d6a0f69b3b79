package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

@Timeout(10)
class AccumulatorsTest {

    private static final int COUNT = 37;
    private static final long[] INTEGERS = {0, 1, -1, 2, 7, -100, 127, -128, 1 << 20, Integer.MIN_VALUE, Long.MAX_VALUE};
    private static final double[] NUMBERS = {0.0, -0.0, 1.5, -2.25, Double.NaN, Double.POSITIVE_INFINITY, 1e300, -1e-300, 1e30};

    private static MemorySegment memory(ElementType type, int step) {
        MemorySegment memory = MemorySegment.ofArray(new long[COUNT + 1]);
        for (int i = 0; i < COUNT; i++) {
            long word = type.isFloatingPoint() ? Double.doubleToRawLongBits(NUMBERS[i * step % NUMBERS.length])
                    : INTEGERS[i * step % INTEGERS.length];
            ArrayElements.set(type, memory, i, word);
        }
        return memory;
    }

    private static void check(ElementType type, Reduction op) {
        MemorySegment a = memory(type, 2);
        MemorySegment b = memory(type, 5);
        MemorySegment result = MemorySegment.ofArray(new long[COUNT + 1]);
        Accumulators blocks = Accumulators.of(type, 3, COUNT * type.bytes());

        blocks.load(2, a, type.bytes(), COUNT - 2);
        blocks.load(0, b, type.bytes(), COUNT - 2);
        blocks.combine(2, 0, COUNT - 2, op);
        blocks.store(2, result, 0, COUNT - 2);

        for (int i = 0; i < COUNT - 2; i++) {
            long expected = ArrayElements.apply(type, op, ArrayElements.word(type, a, i + 1), ArrayElements.word(type, b, i + 1));
            assertEquals(text(type, expected), text(type, ArrayElements.word(type, result, i)), type + " " + op + " " + i);
        }
        assertEquals(0, ArrayElements.word(type, result, COUNT - 2), "nothing is stored behind the end");
    }

    private static String text(ElementType type, long word) {
        return type.isFloatingPoint() ? Double.toString(Double.longBitsToDouble(word)) : Long.toString(word);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldCombineAsTheOperationDoes(ElementType type) {
        for (ReduceOp op : ReduceOp.values()) {
            if (op.isDefinedFor(type)) {
                check(type, op);
            }
        }
        check(type, type.isFloatingPoint() ? Reduction.ofDoubles((a, b) -> a - 3 * b) : Reduction.ofLongs((a, b) -> a - 3 * b));
    }

    @Test
    void shouldOrderKeysAsNumbers() {
        double[] sorted = {Double.NEGATIVE_INFINITY, -1e300, -1.0, -0.0, 0.0, Double.MIN_VALUE, 2.0, Double.POSITIVE_INFINITY,
            Double.NaN};
        for (int i = 1; i < sorted.length; i++) {
            long low = ArrayElements.key(ElementType.DOUBLE, Double.doubleToRawLongBits(sorted[i - 1]));
            long high = ArrayElements.key(ElementType.DOUBLE, Double.doubleToRawLongBits(sorted[i]));
            assertEquals(-1, Long.compare(low, high), sorted[i - 1] + " and " + sorted[i]);
            assertEquals(Double.doubleToLongBits(sorted[i]), ArrayElements.wordOf(ElementType.DOUBLE, high));
        }
    }
}
