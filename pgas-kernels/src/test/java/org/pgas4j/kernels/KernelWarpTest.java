package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** Operations of warps and blocks in C++, of a block of one thread here. */
class KernelWarpTest {

    @TempDir
    private Path folder;

    /** All operations, with results that differ if one is wrong. */
    static long all(KernelThread self) {
        int[] ints = self.sharedInts(4);
        long[] longs = self.sharedLongs(4);
        float[] floats = self.sharedFloats(2);
        double[] doubles = self.sharedDoubles(2);
        for (int i = 0; i < 4; i++) {
            ints[i] = i;
            longs[i] = -i;
            floats[i & 1] = 0;
            doubles[i & 1] = 0;
        }
        long sum = self.getAndAdd(ints, 1, 5) + self.getAndAdd(longs, 1, 5L) + (long) self.getAndAdd(floats, 1, 2.5f)
                + (long) self.getAndAdd(doubles, 0, 2.5);
        sum += self.getAndSet(ints, 2, 9) + self.getAndMin(ints, 3, 1) * 10 + self.getAndMax(longs, 3, 10L) * 100
                + self.compareAndExchange(longs, 2, -2L, 77L) + self.compareAndExchange(ints, 0, 4, 5);
        for (int i = 0; i < 4; i++) {
            sum = sum * 31 + ints[i] + longs[i] + (long) (floats[i & 1] + doubles[i & 1]);
        }
        return sum * 31 + shuffled(self) + self.warpSum(3) + self.warpMin(2L) + (long) self.warpMax(2.5) + (long) self.warpSum(1.5f)
                + self.warpReduce(ReduceOp.XOR, 21) + self.blockReduce(ReduceOp.UNSIGNED_MIN, -3L)
                + (long) self.warpReduce(ReduceOp.PRODUCT, 1.25f) + (long) self.blockReduce(ReduceOp.LOGICAL_OR, 8.25)
                + self.blockSum(4) + self.blockMax(5L) + (long) self.blockMin(7.5f) + (long) self.blockSum(8.5)
                + self.ballot(sum != 1) + (self.any(sum == 1) ? 64 : 0) + (self.all(sum == 1) ? 128 : 0);
    }

    private static long shuffled(KernelThread self) {
        return self.shuffle(3, 4) + self.shuffleUp(4L, 1) + (long) self.shuffleDown(5f, 2) + (long) self.shuffleXor(6.0, 1)
                + self.shuffleXor(7, 3) + self.fromLane(8, 0) + self.fromThread(9, 0) + self.lane() + self.warp() + self.lanes();
    }

    @Test
    void shouldGiveWhatJavaGives() throws Throwable {
        Buffer out = null;
        ThreadKernel kernel = self -> out.putLong(0, all(self));
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.GRID);
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(translated.cuda(), folder, arena);
            MemorySegment fault = arena.allocate(48);
            MemorySegment result = arena.allocate(8);
            HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invokeExact(fault, MemorySegment.NULL, result, 8L, 1L);
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
            assertEquals(all(new LoneThread()), result.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void shouldKnowThatThreadsMeet() {
        ThreadKernel meeting = self -> self.warpSum(self.thread());
        ThreadKernel apart = self -> self.lane();
        assertTrue(KernelTranslator.translate(meeting, KernelForm.GRID).usesBlocks());
        assertFalse(KernelTranslator.translate(apart, KernelForm.GRID).usesBlocks());
    }

    /** Each operation on integers and reals whose order and truth differ with and without signs, as the host has it. */
    @Test
    void shouldCombineAsJavaDoes() throws Throwable {
        StringBuilder source = new StringBuilder(KernelTranslator.header());
        for (String type : List.of("int", "long long", "float", "double")) {
            source.append("extern \"C\" T combine_N(T a, T b, int op) { return pgas_combine(a, b, op); }\n"
                    .replace("N", type.substring(0, 1)).replace("T", type));
        }
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(source.toString(), folder, arena);
            MethodHandle ints = combine(library, "combine_i", ValueLayout.JAVA_INT);
            MethodHandle longs = combine(library, "combine_l", ValueLayout.JAVA_LONG);
            MethodHandle floats = combine(library, "combine_f", ValueLayout.JAVA_FLOAT);
            MethodHandle doubles = combine(library, "combine_d", ValueLayout.JAVA_DOUBLE);
            for (ReduceOp op : ReduceOp.values()) {
                for (int[] pair : new int[][] {{5, -3}, {-3, 5}, {0, 6}, {-1, -2}, {0, 0}, {-8_388_608, 8_388_607}}) {
                    int a = pair[0];
                    int b = pair[1];
                    assertEquals((int) op.apply((long) a, b), (int) ints.invokeExact(a, b, op.ordinal()), op + " of ints");
                    assertEquals(op.apply(a * 0x10001L, b), (long) longs.invokeExact(a * 0x10001L, (long) b, op.ordinal()), op + " of longs");
                    if (op.isDefinedFor(ElementType.DOUBLE)) {
                        assertEquals((float) op.apply((double) a, b), (float) floats.invokeExact((float) a, (float) b, op.ordinal()),
                                op + " of floats");
                        assertEquals(op.apply((double) a, b), (double) doubles.invokeExact((double) a, (double) b, op.ordinal()),
                                op + " of doubles");
                    }
                }
            }
        }
    }

    private static MethodHandle combine(SymbolLookup library, String name, ValueLayout type) {
        return HostCompiler.function(library, name, FunctionDescriptor.of(type, type, type, ValueLayout.JAVA_INT));
    }

    private static void refused(ThreadKernel kernel, String advice) {
        String message = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.translate(kernel, KernelForm.GRID)).getMessage();
        assertTrue(message.contains(advice), message);
    }

    @Test
    void shouldRefuseReductionsThatValuesLack() {
        ReduceOp any = ReduceOp.SUM;
        refused(self -> self.warpReduce(ReduceOp.AND, 1f), "only integers have AND");
        refused(self -> self.blockReduce(self.thread() == 0 ? any : ReduceOp.MIN, 1.0), "name a constant of ReduceOp");
    }

    private static float dot(KernelThread self, float[] row, float value) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            sum += row[k] * self.shuffle(value, k);
        }
        return sum;
    }

    /** The compiler unrolls such a loop and knows its indices; a vote in front of it would be one for each round of a loop around it. */
    @Test
    void shouldNotVoteBeforeALoopOverAPrivateArrayAlone() {
        Buffer x = null;
        ThreadKernel kernel = self -> x.putFloat(0, dot(self, new float[4], x.getFloat(0)));
        String cuda = KernelTranslator.translate(kernel, KernelForm.GRID).cuda();
        assertTrue(cuda.contains("pgas_shuffle(f2, i"), cuda);
        assertFalse(cuda.contains("if (!(pgas_together("), cuda);
    }

    /** The only thread of a block, which keeps the lines that it prints. */
    static final class LoneThread implements KernelThread {

        private final List<String> lines = new ArrayList<>();

        List<String> lines() {
            return lines;
        }

        @Override
        public void printf(String format, Object... values) {
            lines.add(LineFormat.format(format, Stream.of(values).map(LineFormat::number).toArray()));
        }

        @Override
        public long block() {
            return 0;
        }

        @Override
        public long blocks() {
            return 1;
        }

        @Override
        public int thread() {
            return 0;
        }

        @Override
        public int threads() {
            return 1;
        }

        @Override
        public void sync() {
        }

        @Override
        public float[] sharedFloats(int length) {
            return new float[length];
        }

        @Override
        public double[] sharedDoubles(int length) {
            return new double[length];
        }

        @Override
        public int[] sharedInts(int length) {
            return new int[length];
        }

        @Override
        public long[] sharedLongs(int length) {
            return new long[length];
        }
    }
}
