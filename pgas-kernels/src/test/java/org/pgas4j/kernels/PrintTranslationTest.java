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
    private static final String LINES = """
            #include <stdio.h>
            static char pgas_lines[4000];
            static int pgas_used;
            #define PGAS_PRINT(...) (pgas_used += snprintf(pgas_lines + pgas_used, sizeof(pgas_lines) - pgas_used, __VA_ARGS__))
            extern "C" int lines(char *out) { return snprintf(out, sizeof(pgas_lines), "%s", pgas_lines); }
            """;

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
            SymbolLookup library = HostCompiler.compile(LINES + translated.cuda(), folder, arena);
            MemorySegment fault = arena.allocate(48, 8);
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_LONG, given);
            HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invokeExact(fault, MemorySegment.NULL, memory, memory.byteSize(), (long) given.length);
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
            MethodHandle text = HostCompiler.function(library, "lines", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
            MemorySegment out = arena.allocate(4000);
            assertTrue((int) text.invokeExact(out) > 0);
            String printed = out.getString(0);
            assertEquals(thread.lines(), printed);
            assertTrue(printed.contains("[rank 0 block 0 thread 0] 17, 18 and 18, 2.1, 19\n"), printed);
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
        refused("prints by %g, of which devices have different texts", self -> self.printf("%g", 1.0));
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
