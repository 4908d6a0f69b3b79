package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.FastMath;
import org.pgas4j.kernel.LongKernel;

/** Kernels with other captured values. */
class LambdaFactoryTest {

    private static LongKernel sum(long a, int b, byte c, double d) {
        return i -> i + a * b + c + (long) d;
    }

    private static double twice(long i) {
        return i * 2.0;
    }

    private static TranslatedKernel translated(LongKernel kernel) {
        return KernelTranslator.translate(kernel, KernelForm.REDUCE_LONGS);
    }

    @Test
    void shouldReplaceCapturedValues() {
        LongKernel kernel = sum(1, 2, (byte) 3, 4.5);
        LongKernel other = (LongKernel) translated(kernel).with(new Object[] {10L, 20, (byte) 30, 40.5});
        assertEquals(100 + 2 + 3 + 4, kernel.at(100));
        assertEquals(100 + 200 + 30 + 40, other.at(100));
    }

    @Test
    void shouldMakeAllOfOneClass() {
        TranslatedKernel kernel = translated(sum(1, 2, (byte) 3, 4));
        Object[] values = kernel.values(sum(5, 6, (byte) 7, 8));
        assertEquals(List.of(5L, 6, (byte) 7, 8.0), List.of(values));
        assertSame(kernel.with(values).getClass(), translated(sum(0, 0, (byte) 0, 0)).with(values).getClass());
    }

    @Test
    void shouldKnowMethodReferences() {
        DoubleKernel kernel = LambdaFactoryTest::twice;
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.REDUCE_DOUBLES);
        assertEquals(14, ((DoubleKernel) translated.with(new Object[0])).at(7));
    }

    @Test
    void shouldCompileMarkedKernelsWithOtherOptions() {
        LongKernel strict = i -> (long) Math.sqrt(i);
        LongKernel fast = (LongKernel & FastMath) i -> (long) Math.sqrt(i);
        assertEquals("--fmad=false", translated(strict).options(256).getFirst());
        assertEquals("--use_fast_math", translated(fast).options(256).getFirst());
    }

    @Test
    void shouldTellTheCompilerThreadsRoundedUp() {
        LongKernel kernel = i -> i + 3;
        assertEquals("-DPGAS_MAX_THREADS=256", translated(kernel).options(150).getLast());
        assertEquals(translated(kernel).options(129), translated(kernel).options(255));
        assertEquals("-DPGAS_MAX_THREADS=1", translated(kernel).options(1).getLast());
    }

    @Test
    void shouldTellTheCompilerThatWarpsAreWhole() {
        LongKernel kernel = i -> i + 3;
        assertEquals(List.of("-DPGAS_MAX_THREADS=256", "-DPGAS_WHOLE_WARPS"), translated(kernel).options(160).subList(2, 4));
        assertEquals(translated(kernel).options(160), translated(kernel).options(256));
    }
}
