package org.pgas4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;

class AtomicWordsTest {

    private final MemorySegment memory = Arena.ofAuto().allocate(24, 8);

    @ParameterizedTest
    @CsvSource({
        "LONG, GET, 7, 3, 7", "LONG, SET, 7, 3, 3", "LONG, SWAP, 7, 3, 3", "LONG, ADD, 7, 3, 10", "LONG, MULTIPLY, 7, 3, 21",
        "LONG, MIN, 7, -3, -3", "LONG, MAX, 7, -3, 7", "LONG, AND, 6, 3, 2", "LONG, OR, 6, 3, 7", "LONG, XOR, 6, 3, 5",
        "LONG, ADD, 9223372036854775807, 1, -9223372036854775808", "INT, ADD, 2147483647, 1, -2147483648",
        "INT, GET, -7, 3, -7", "INT, SET, 7, -3, -3", "INT, SWAP, 7, 3, 3", "INT, ADD, 7, 3, 10", "INT, MULTIPLY, 7, -3, -21",
        "LONG, UNSIGNED_MIN, 7, -3, 7", "LONG, UNSIGNED_MIN, -7, -3, -7", "LONG, UNSIGNED_MIN, -1, 3, 3",
        "LONG, UNSIGNED_MAX, 7, -3, -3", "LONG, UNSIGNED_MAX, -9223372036854775808, 9223372036854775807, -9223372036854775808",
        "INT, UNSIGNED_MIN, 7, -3, 7", "INT, UNSIGNED_MIN, -7, -3, -7", "INT, UNSIGNED_MIN, -1, 3, 3",
        "INT, UNSIGNED_MAX, 7, -3, -3", "INT, UNSIGNED_MAX, -2147483648, 2147483647, -2147483648",
        "INT, MIN, -7, 3, -7", "INT, MAX, -7, 3, 3", "INT, AND, 6, 3, 2", "INT, OR, 6, 3, 7", "INT, XOR, 6, -1, -7"})
    void shouldChangeIntegers(ElementType type, AtomicOp op, long before, long operand, long after) {
        put(type, before);

        assertEquals(before, AtomicWords.apply(memory, 8, type, op, operand, 0));

        assertEquals(after, get(type));
        assertNeighboursUntouched();
    }

    @ParameterizedTest
    @CsvSource({"GET, 1.5, 2, 1.5", "SWAP, 1.5, 2, 2", "ADD, 1.5, 2, 3.5", "MULTIPLY, 1.5, -2, -3", "MIN, 1.5, -2, -2",
        "MAX, 1.5, NaN, NaN", "MIN, NaN, 1, NaN", "MAX, -0.0, 0.0, 0.0"})
    void shouldChangeFloatingPointWords(AtomicOp op, double before, double operand, double after) {
        put(ElementType.DOUBLE, Double.doubleToRawLongBits(before));
        assertEquals(before, Double.longBitsToDouble(
                AtomicWords.apply(memory, 8, ElementType.DOUBLE, op, Double.doubleToRawLongBits(operand), 0)));
        assertEquals(after, Double.longBitsToDouble(get(ElementType.DOUBLE)));

        put(ElementType.FLOAT, Float.floatToRawIntBits((float) before));
        assertEquals((float) before, Float.intBitsToFloat((int) AtomicWords.apply(memory, 8, ElementType.FLOAT, op,
                Float.floatToRawIntBits((float) operand), 0)));
        assertEquals((float) after, Float.intBitsToFloat((int) get(ElementType.FLOAT)));
        assertNeighboursUntouched();
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"INT", "LONG", "FLOAT", "DOUBLE"})
    void shouldSwapOnlyEqualBits(ElementType type) {
        put(type, 5);

        assertEquals(5, AtomicWords.apply(memory, 8, type, AtomicOp.COMPARE_SWAP, 9, 4));
        assertEquals(5, get(type));
        assertEquals(5, AtomicWords.apply(memory, 8, type, AtomicOp.COMPARE_SWAP, 9, 5));
        assertEquals(9, get(type));
    }

    @ParameterizedTest
    @CsvSource({"INT, ADD", "LONG, ADD", "FLOAT, ADD", "DOUBLE, ADD", "LONG, XOR", "INT, XOR"})
    void shouldLoseNothingAmongThreads(ElementType type, AtomicOp op) throws InterruptedException {
        put(type, 0);
        long one = switch (type) {
            case FLOAT -> Float.floatToRawIntBits(1);
            case DOUBLE -> Double.doubleToRawLongBits(1);
            default -> 1;
        };
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 20_001; i++) {
                    AtomicWords.apply(memory, 8, type, op, one, 0);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        long expected = op == AtomicOp.XOR ? 1 : 60_003;
        assertEquals(switch (type) {
            case FLOAT -> Float.floatToRawIntBits(expected);
            case DOUBLE -> Double.doubleToRawLongBits(expected);
            default -> expected;
        }, get(type));
    }

    @Test
    void shouldRefuseTypesAndOperationsThatAreNone() {
        assertThrows(IllegalArgumentException.class, () -> AtomicWords.code(ElementType.BYTE));
        assertThrows(IllegalArgumentException.class, () -> AtomicWords.typeOf(0));
        assertThrows(IllegalArgumentException.class, () -> AtomicWords.typeOf(Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> AtomicOp.ofCode(13));
        assertFalse(AtomicOp.XOR.isOf(ElementType.DOUBLE));
        assertFalse(AtomicOp.UNSIGNED_MIN.isOf(ElementType.FLOAT));
        assertThrows(IllegalArgumentException.class,
                () -> AtomicWords.apply(memory, 8, ElementType.FLOAT, AtomicOp.UNSIGNED_MAX, 1, 0));
        assertFalse(AtomicOp.GET.isOf(ElementType.BYTE));
        for (ElementType type : List.of(ElementType.INT, ElementType.LONG, ElementType.FLOAT, ElementType.DOUBLE)) {
            assertEquals(type, AtomicWords.typeOf(AtomicWords.code(type)));
        }
    }

    private void put(ElementType type, long bits) {
        memory.fill((byte) 0x5a);
        if (type.bytes() == Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, 8, bits);
        } else {
            memory.set(ValueLayout.JAVA_INT, 8, (int) bits);
            memory.set(ValueLayout.JAVA_INT, 12, 0x5a5a5a5a);
        }
    }

    private long get(ElementType type) {
        if (type.bytes() == Integer.BYTES) {
            assertEquals(0x5a5a5a5a, memory.get(ValueLayout.JAVA_INT, 12));
            return memory.get(ValueLayout.JAVA_INT, 8);
        }
        return memory.get(ValueLayout.JAVA_LONG, 8);
    }

    private void assertNeighboursUntouched() {
        assertEquals(0x5a5a5a5a5a5a5a5aL, memory.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(0x5a5a5a5a5a5a5a5aL, memory.get(ValueLayout.JAVA_LONG, 16));
    }
}
