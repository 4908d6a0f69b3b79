package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.classfile.Opcode;
import java.util.List;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;

/** A range of results has every result that there is. */
class IntRangeTest {

    private static final List<Integer> ENDS = List.of(Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -33, -2, -1, 0, 1, 2, 5, 31, 32, 1 << 16,
            Integer.MAX_VALUE - 1, Integer.MAX_VALUE);

    private static void assertHolds(Opcode opcode, IntBinaryOperator operator) {
        int[] narrow = new int[1];
        forAllPairs((left, right) -> {
            IntRange range = IntRange.of(opcode, left, right);
            narrow[0] += range.equals(IntRange.ALL) ? 0 : 1;
            for (int a : ENDS) {
                for (int b : ENDS) {
                    boolean isIn = isIn(a, left) && isIn(b, right) && !(b == 0 && (opcode == Opcode.IDIV || opcode == Opcode.IREM));
                    assertTrue(!isIn || isIn(operator.applyAsInt(a, b), range),
                            () -> opcode + " of " + a + " in " + left + " and " + b + " in " + right + " in " + range);
                }
            }
        });
        assertTrue(narrow[0] > 20, () -> opcode + " is known " + narrow[0] + " times");
    }

    private static void forAllPairs(java.util.function.BiConsumer<IntRange, IntRange> test) {
        List<IntRange> ranges = ENDS.stream().flatMap(least -> ENDS.stream().filter(most -> most >= least)
                .map(most -> new IntRange(least, most))).toList();
        ranges.forEach(left -> ranges.forEach(right -> test.accept(left, right)));
    }

    private static boolean isIn(int value, IntRange range) {
        return value >= range.least() && value <= range.most();
    }

    @Test
    void shouldHaveAllResults() {
        assertHolds(Opcode.IADD, (a, b) -> a + b);
        assertHolds(Opcode.ISUB, (a, b) -> a - b);
        assertHolds(Opcode.IMUL, (a, b) -> a * b);
        assertHolds(Opcode.IDIV, (a, b) -> a / b);
        assertHolds(Opcode.IREM, (a, b) -> a % b);
        assertHolds(Opcode.IAND, (a, b) -> a & b);
        assertHolds(Opcode.ISHR, (a, b) -> a >> b);
        assertHolds(Opcode.IUSHR, (a, b) -> a >>> b);
        assertHolds(Opcode.ISHL, (a, b) -> a << b);
        assertEquals(IntRange.ALL, IntRange.of(Opcode.IXOR, IntRange.of(1), IntRange.of(2)));
    }

    @Test
    void shouldKeepValuesOfWhichAComparisonMayHold() {
        forAllPairs((left, right) -> {
            for (int a : ENDS) {
                for (int b : ENDS) {
                    if (isIn(a, left) && isIn(b, right)) {
                        assertTrue(!(a < b) || isIn(a, left.where("<", right)), () -> a + " < " + b);
                        assertTrue(!(a <= b) || isIn(a, left.where("<=", right)), () -> a + " <= " + b);
                        assertTrue(!(a > b) || isIn(a, left.where(">", right)), () -> a + " > " + b);
                        assertTrue(!(a >= b) || isIn(a, left.where(">=", right)), () -> a + " >= " + b);
                        assertTrue(!(a == b) || isIn(a, left.where("==", right)), () -> a + " == " + b);
                        assertTrue(!(a != b) || isIn(a, left.where("!=", right)), () -> a + " != " + b);
                    }
                }
            }
        });
        assertEquals(new IntRange(0, 31), new IntRange(0, 100).where("<", IntRange.of(32)));
        assertEquals(new IntRange(0, 7), new IntRange(0, 3).or(IntRange.of(7)));
    }
}
