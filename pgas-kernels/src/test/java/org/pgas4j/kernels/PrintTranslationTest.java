package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** Lines that kernels print: the same text in C++ as in Java, and what is refused. */
class PrintTranslationTest {

    private static final String CONSTANT = "of %d and " + 3;
    private static final long RING_BYTES = 32 + 1024 * 96;

    @TempDir
    private Path folder;

    private static int next(Buffer in) {
        in.putLong(0, in.getLong(0) + 1);
        return (int) in.getLong(0);
    }

    private static void lines(KernelThread self, Buffer in) {
        int i = (int) in.getLong(0);
        long many = in.getLong(1);
        double real = in.getDouble(2);
        byte small = (byte) many;
        short less = (short) many;
        self.printf("nothing but 100%% of a \"text\"");
        self.printf("i %d, %i, %u, %x, %X, %o, %c", i, -i, -i, -i, i, i, i + 40);
        self.printf("many %lld %d %u %x of %5d|%-5d|%05d", many, many, -many, many, i, i, i);
        self.printf("real %f %.2f %12.3e|%-+9.1F|%09.2f", real, (float) real, real, real, -real);
        self.printf("general %g %.3g", real, real);
        self.printf("small %d %d %hd", small, less, less);
        self.printf(CONSTANT, i);
        for (int k = 0; k < 3; k++) {
            self.printf("round %d: %d", k, k % 2 == 0 ? k * i : -k);
        }
        self.printf("%d, %d and %d, %.1f, %d", i++, i, next(in), i > 100 ? real : -real, next(in));
        if (self.thread() == 0) {
            self.printf("last %lld", many + i);
        }
    }

    @Test
    void shouldPrintWhatJavaPrints() throws Throwable {
        Buffer in = null;
        ThreadKernel kernel = self -> lines(self, in);
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.GRID);
        assertFalse(translated.usesBlocks());
        long[] given = {17, 1L << 40 | 77, Double.doubleToRawLongBits(-2.0625)};
        KernelWarpTest.LoneThread thread = new KernelWarpTest.LoneThread();
        lines(thread, Buffer.ofHost(MemorySegment.ofArray(given.clone()), ElementType.LONG));
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(translated.cuda(), folder, arena);
            MemorySegment fault = arena.allocate(48, 8);
            MemorySegment ring = arena.allocate(RING_BYTES, 8);
            fault.set(ValueLayout.ADDRESS, 40, ring);
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_LONG, given);
            HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invokeExact(fault, MemorySegment.NULL, memory, memory.byteSize(), (long) given.length);
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
            List<String> lines = lines(translated, ring);
            assertEquals(thread.lines(), lines);
            assertTrue(lines.contains("17, 18 and 18, 2.1, 19"), lines::toString);
        }
    }

    /** Lines that a thread has written into the ring that the host prints. */
    private static List<String> lines(TranslatedKernel kernel, MemorySegment ring) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < ring.get(ValueLayout.JAVA_LONG, 8); i++) {
            MemorySegment line = ring.asSlice(32 + 96L * i, 96);
            assertEquals(i + 1, line.get(ValueLayout.JAVA_LONG, 0));
            lines.add(kernel.line(line.get(ValueLayout.JAVA_INT, 12), line.asSlice(32).toArray(ValueLayout.JAVA_LONG)));
        }
        return lines;
    }

    /** The ring has 1,024 lines: what comes then is counted, until the host moves its head. */
    @Test
    void shouldDropWhatFindsNoPlace() throws Throwable {
        Buffer in = null;
        ThreadKernel kernel = self -> {
            for (int i = 0; i < in.length(); i++) {
                self.printf("line %d", i);
            }
        };
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.GRID);
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(translated.cuda(), folder, arena);
            MemorySegment fault = arena.allocate(48, 8);
            MemorySegment ring = arena.allocate(RING_BYTES, 8);
            fault.set(ValueLayout.ADDRESS, 40, ring);
            MethodHandle function = HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
            function.invokeExact(fault, MemorySegment.NULL, MemorySegment.NULL, 8L, 1030L);
            assertEquals(1024, ring.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(6, ring.get(ValueLayout.JAVA_LONG, 16));
            ring.set(ValueLayout.JAVA_LONG, 0, 1000L);
            function.invokeExact(fault, MemorySegment.NULL, MemorySegment.NULL, 8L, 2L);
            assertEquals(1026, ring.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(1026, ring.get(ValueLayout.JAVA_LONG, 32 + 96));
            assertEquals(1, ring.get(ValueLayout.JAVA_LONG, 32 + 96 + 32));
        }
    }

    @Test
    void shouldWriteLinesOfBlocksToTheirLog() {
        GridKernel program = self -> {
            self.printf("block %d of %d", self.rank(GridRank.Comm.DEVICE), 1L << self.thread());
            self.printf(GridRank.Callers.THREAD, "%.3g \u00e9", 0.5f);
        };
        String cuda = KernelTranslator.translate(program, KernelForm.BLOCKS).cuda();
        for (String part : List.of("PGAS_CALLERS_BLOCK, \"block %d of %lld\", v", "PGAS_CALLERS_THREAD, \"%.3g \\303\\251\", v")) {
            assertTrue(cuda.contains(part), part + " in\n" + cuda);
        }
    }

    private static void refused(String advice, Serializable kernel, KernelForm form) {
        String message = assertThrows(KernelRefusedException.class, () -> KernelTranslator.translate(kernel, form)).getMessage();
        assertTrue(message.contains(advice), message);
        assertTrue(message.contains("(PrintTranslationTest.java:"), message);
    }

    private static void refused(String advice, ThreadKernel kernel) {
        refused(advice, kernel, KernelForm.GRID);
    }

    private static String name() {
        return "%d";
    }

    @Test
    void shouldRefuseFormatsThatDoNotFit() {
        refused("prints 1 values by a format of 2; give each conversion one value", self -> self.printf("%d %d", 1));
        refused("prints 2 values by a format of 1", self -> self.printf("%d%%", 1, 2));
        refused("prints an object of Double by %d; use %f or %e", self -> self.printf("%d", 1.0));
        refused("prints an object of Long by %.2f; use %d", self -> self.printf("%.2f", 1L));
        refused("prints an object of Boolean by %d; convert it to int", self -> self.printf("%d", self.thread() == 0));
        refused("prints by \"%s\", which lines do not have", self -> self.printf("%s", 1));
        refused("prints by \"%, o\", which lines do not have", self -> self.printf("100%, of"));
        refused("prints by %#x; use the flags", self -> self.printf("%#x", 1));
        refused("prints by %.3d; use the flags", self -> self.printf("%.3d", 1));
        refused("by %p; use %d", self -> self.printf("%p", 1L));
        refused("prints a line of 9 values; print up to 8", self -> self.printf("%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8, 9));
        refused("more than 160 bytes; print two lines", self -> self.printf("0123456789012345678901234567890123456789"
                + "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
                + "012345678901234567890123456789"));
    }

    @Test
    void shouldRefuseWhatIsNoConstant() {
        refused("prints by a format that is no constant; write one in the call", self -> self.printf("thread " + self.thread()));
        refused("prints by a format that is no constant", self -> self.printf(self.thread() == 0 ? "a" : "b"));
        refused("uses an object of java.lang.String", self -> self.printf(name(), 1));
        refused("prints an object; write the text in the format", self -> self.printf("%d", "text"));
        refused("allocates an array of objects", self -> self.printf("%d", new Object[self.thread()]));
        refused("keeps the values of a line in an object; write them in the call of printf", self -> {
            Object[] values = {1};
            self.printf("%d", values);
        });
        refused("makes an object of java.lang.Integer", (GridKernel) self -> {
            Integer boxed = self.thread();
            self.printf("%d", boxed);
        }, KernelForm.BLOCKS);
    }
}
