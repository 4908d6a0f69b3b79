package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;

/** Kernels of numbers and records, whose C++ is compiled for this machine and gives what Java gives. */
class KernelTranslatorTest {

    private static final int FAULT_BYTES = 48;

    @TempDir
    private Path folder;

    private record Pair(int left, double right) {

        Pair plus(Pair other) {
            return new Pair(left + other.left, right + other.right);
        }

        double weight() {
            return left * right;
        }
    }

    private record Nested(Pair pair, boolean odd, byte small) {
    }

    private static long collatz(long start) {
        long steps = 0;
        for (long n = start; n != 1; steps++) {
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        }
        return steps;
    }

    private static int chosen(long i) {
        return switch ((int) (i % 7)) {
            case 0 -> 10;
            case 1, 2 -> (int) i;
            case 5 -> -1;
            default -> i > 50 ? 3 : 4;
        };
    }

    private static long pairs(long i) {
        Pair sum = new Pair(0, 0.5);
        for (int k = 0; k < i % 10; k++) {
            sum = sum.plus(new Pair(k, k > 4 ? 1.5 : Math.sqrt(k)));
        }
        Nested nested = new Nested(sum, (i & 1) == 1, (byte) (i * 77));
        return (long) (nested.pair().weight() * 1000) + (nested.odd() ? 1 : 0) + nested.small();
    }

    private static long conversions(long i) {
        double d = (i - 50) * 1e17;
        float f = (float) d;
        int bits = Float.floatToRawIntBits(f) ^ (int) Double.doubleToRawLongBits(d / 3);
        return (int) d + (long) f + (byte) i + (char) (i * -3) + (short) (i << 13) + bits + (i >>> 3) + ((int) -i >>> 5)
                + Math.max((int) i, 40) + (long) Math.min(d, -0.0) + (d > f ? 1 : d < f ? 2 : d == f ? 3 : 4);
    }

    private static long booleans(long i) {
        boolean a = i % 3 == 0;
        boolean b = i > 20 && !a || i == 7;
        int count = 0;
        do {
            count += a ^ b ? 1 : 2;
        } while (count < i % 5);
        int x = 5;
        x += x++ * 2 + x;
        return count + (a & b ? 100 : 0) + x + Integer.rotateLeft((int) i, 7) + Long.numberOfTrailingZeros(i) + Integer.reverse((int) i)
                + Math.floorMod(i - 50, 7L) + Long.highestOneBit(i) + Math.abs((int) (i - 60));
    }

    private static long arrays(long i) {
        double[] weights = {1, 4, 6, 4, 1};
        int[] sorted = new int[5];
        double sum = 0;
        for (double weight : weights) {
            sum = sum * 1.25 + weight * i;
        }
        for (int k = 0; k < sorted.length; k++) {
            sorted[k] = (int) ((i * 7 + k * 3) % 11);
        }
        for (int p = 0; p < 5; p++) {
            for (int q = p + 1; q < 5; q++) {
                if (sorted[q] < sorted[p]) {
                    swap(sorted, p, q);
                }
            }
        }
        long digits = 0;
        for (int one : sorted) {
            for (double weight : weights) {
                digits += one > weight ? 1 : 0;
            }
            digits = digits * 11 + one;
        }
        int[] same = sorted;
        same[0] += 5;
        double[] chosen = i > 50 ? weights : new double[] {3, 4};
        return digits + (long) sum + sorted[0] + (long) chosen[1];
    }

    private static void swap(int[] of, int p, int q) {
        int kept = of[p];
        of[p] = of[q];
        of[q] = kept;
    }

    private static long primes(long i) {
        int count = 0;
        candidates:
        for (int p = 2; p < 100; p++) {
            for (int q = 2; q * q <= p; q++) {
                if (p % q == 0) {
                    continue candidates;
                }
            }
            if (++count > i) {
                return p;
            }
        }
        return count;
    }

    /** Sums the values of a kernel for the indices 0 to 99 as its C++ has them. */
    private long translated(LongKernel kernel, MemorySegment fault, Object... captured) throws Throwable {
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.REDUCE_LONGS);
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(translated.cuda(), folder, arena);
            MemorySegment result = arena.allocate(8);
            List<MemoryLayout> types = new ArrayList<>(List.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));
            List<Object> values = new ArrayList<>(List.of(fault, MemorySegment.NULL));
            for (long value : new long[] {0, 100, 100, 0}) {
                add(value, types, values);
            }
            for (int value : new int[] {1, 0}) {
                add(value, types, values);
            }
            for (long value : new long[] {0, 1, 0}) {
                add(value, types, values);
            }
            add(0, types, values);
            add(0L, types, values);
            types.add(ValueLayout.ADDRESS);
            values.add(result);
            for (Object value : translated.captured(kernel)) {
                add(value, types, values);
            }
            MethodHandle call = HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(
                    types.toArray(MemoryLayout[]::new)));
            call.invokeWithArguments(values);
            return result.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static void add(Object value, List<MemoryLayout> types, List<Object> values) {
        types.add(switch (value) {
            case Integer _ -> ValueLayout.JAVA_INT;
            case Long _ -> ValueLayout.JAVA_LONG;
            case Float _ -> ValueLayout.JAVA_FLOAT;
            default -> ValueLayout.JAVA_DOUBLE;
        });
        values.add(value);
    }

    private void shouldAgree(LongKernel kernel) throws Throwable {
        long expected = 0;
        for (long i = 0; i < 100; i++) {
            expected += kernel.at(i);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fault = arena.allocate(FAULT_BYTES);
            assertEquals(expected, translated(kernel, fault));
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
        }
    }

    @Test
    void shouldLoop() throws Throwable {
        shouldAgree(i -> collatz(i + 1));
    }

    @Test
    void shouldGoThroughArraysOfAMethod() throws Throwable {
        shouldAgree(KernelTranslatorTest::arrays);
    }

    @Test
    void shouldLeaveLoopsByLabels() throws Throwable {
        shouldAgree(KernelTranslatorTest::primes);
    }

    @Test
    void shouldSwitch() throws Throwable {
        shouldAgree(i -> chosen(i));
    }

    @Test
    void shouldUseRecordsAsValues() throws Throwable {
        shouldAgree(KernelTranslatorTest::pairs);
    }

    @Test
    void shouldConvertAsJavaDoes() throws Throwable {
        shouldAgree(i -> conversions(i));
    }

    @Test
    void shouldBranchOnBooleans() throws Throwable {
        shouldAgree(i -> booleans(i + 1));
    }

    @Test
    void shouldTakeCapturedValues() throws Throwable {
        Pair pair = new Pair(3, 0.25);
        boolean odd = true;
        float factor = 1.5f;
        shouldAgree(i -> (long) (i * factor) + (odd ? pair.left() : 0) + (long) pair.weight());
    }

    private static long products(int a, int b) {
        return (long) a * b + (long) (a - b) * (a + 7) + (long) Integer.MIN_VALUE * a;
    }

    @Test
    void shouldMultiplyIntsToALong() throws Throwable {
        LongKernel kernel = i -> products((int) i * 123_456_789, (int) i - 50);
        shouldAgree(kernel);
        String cuda = KernelTranslator.translate(kernel, KernelForm.REDUCE_LONGS).cuda();
        assertTrue(cuda.contains("pgas_wide(i0, i1)"), cuda);
    }

    private static long quotients(int a, int b) {
        return a / b + 3 * (a % b) + (Integer.MIN_VALUE / b) + (Long.MIN_VALUE / b) + Long.MIN_VALUE % b + Integer.MIN_VALUE % b;
    }

    @Test
    void shouldDivideByMinusOne() throws Throwable {
        shouldAgree(i -> quotients((int) i - 50, i % 2 == 0 ? -1 : (int) i - 48));
    }

    private static long literals(int a) {
        return a / 7 + 3L * (a % -13) + a / -1 + a % -1 + a * 40_000_000 / -32 + a * 40_000_000 % 10 + a / 1;
    }

    /** A literal is no 0, so that the compiler may do what it does best. */
    @Test
    void shouldDivideByLiteralsWithoutATest() throws Throwable {
        shouldAgree(i -> literals((int) i - 50));

        String cuda = KernelTranslator.translate((LongKernel) i -> literals((int) i), KernelForm.REDUCE_LONGS).cuda();
        String own = cuda.substring(cuda.indexOf("// ---- KernelTranslatorTest"));
        assertEquals(1, own.split("pgas_div\\(", -1).length - 1, own); // by -1
        assertEquals(1, own.split("pgas_rem\\(", -1).length - 1, own);
        assertTrue(own.contains(" / 7") && own.contains(" % (-13)"), own);
    }

    private static long dividing(long i) {
        return 10 / (i - 60);
    }

    private static long throwing(long i) {
        if (i == 70) {
            throw new IllegalStateException("seventy");
        }
        return i;
    }

    @Test
    void shouldStopAtFaults() throws Throwable {
        assertEquals("division by zero at org.pgas4j.kernels.KernelTranslatorTest.dividing(KernelTranslatorTest.java:LINE)",
                fault(i -> dividing(i)));
        assertEquals("java.lang.IllegalStateException: seventy at org.pgas4j.kernels.KernelTranslatorTest.throwing("
                + "KernelTranslatorTest.java:LINE)", fault(i -> throwing(i)));
    }

    private String fault(LongKernel kernel) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fault = arena.allocate(FAULT_BYTES);
            translated(kernel, fault);
            assertEquals(2, fault.get(ValueLayout.JAVA_INT, 0));
            return KernelTranslator.translate(kernel, KernelForm.REDUCE_LONGS).fault(fault.get(ValueLayout.JAVA_INT, 4),
                    fault.get(ValueLayout.JAVA_INT, 8), fault.get(ValueLayout.JAVA_LONG, 16), fault.get(ValueLayout.JAVA_LONG, 24))
                    .getMessage().replaceFirst(":\\d+\\)", ":LINE)");
        }
    }

    private static int never(int n) {
        return n == 0 ? 0 : never(n - 1) + 1;
    }

    private static int filled(int[] values) {
        return values.length;
    }

    private static void refuses(IndexKernel kernel, String what) {
        KernelRefusedException e = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.translate(kernel, KernelForm.LOOP));
        assertTrue(e.getMessage().contains(what), e.getMessage());
        assertTrue(e.getMessage().contains("KernelTranslatorTest"), e.getMessage());
    }

    @Test
    void shouldRefuse() {
        refuses(i -> never((int) i), "calls itself: never");
        refuses(i -> System.out.println(i), "static field out");
        refuses(i -> filled(new int[(int) i]), "allocates an array");
        refuses(i -> String.valueOf(i).length(), "java.lang");
    }
}
