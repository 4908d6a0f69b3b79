package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** Kernels start again with all checks where indices may be out of bounds and nothing has been done that must not be done twice. */
@SuppressWarnings("restricted")
class KernelRestartTest {

    private static final int LENGTH = 8;
    private static final int FAULT_BYTES = 48;
    private static final int SECOND_BYTES = 24;

    record Scale(float by, int from) {
    }

    @TempDir
    private Path folder;

    private static void load(Buffer x, float[] row) {
        for (int k = 0; k < 4; k++) {
            row[k] = x.getFloat(k);
        }
    }

    private static void write(float[] row, Scale scale, Buffer y, int n) {
        for (int i = scale.from(); i < n; i++) {
            y.putFloat(i, y.getFloat(i) + row[i & 3] * scale.by());
        }
    }

    private static ThreadKernel kernel(Buffer x, Buffer y, Scale scale, int n) {
        return self -> {
            float[] row = new float[4];
            load(x, row);
            write(row, scale, y, n);
        };
    }

    private static Buffer buffer(Arena arena) {
        MemorySegment memory = arena.allocate(Float.BYTES * LENGTH, Float.BYTES);
        for (int k = 0; k < LENGTH; k++) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, k, 1 + 0.25f * k);
        }
        return Buffer.ofHost(memory, ElementType.FLOAT);
    }

    private static TranslatedKernel translated(ThreadKernel kernel) {
        return KernelTranslator.translate(kernel, KernelForm.GRID);
    }

    private static boolean mayRestart(ThreadKernel kernel) {
        return translated(kernel).cuda().contains("pgas_restart(cx)");
    }

    /** Runs the C++ for {@code y}; returns the number of starts of the kernel, and the fault in {@code fault}. */
    private int run(MemorySegment fault, Buffer x, Buffer y, Scale scale, int n, Arena arena) throws Throwable {
        TranslatedKernel kernel = translated(kernel(x, y, scale, n));
        String again = "pgas_restart(const pgas_context *cx) {\n";
        String cuda = "extern \"C\" { int pgas_starts; }\n" + kernel.cuda()
                .replace("    PGAS_BEGIN\n", "    PGAS_BEGIN\n    pgas_starts++;\n").replace(again, again + "    pgas_starts++;\n");
        SymbolLookup library = HostCompiler.compile(cuda, folder, arena);
        List<Object> values = new ArrayList<>(List.of(fault, MemorySegment.NULL));
        for (Object value : kernel.captured(kernel(x, y, scale, n))) {
            if (value instanceof Buffer buffer) {
                values.addAll(List.of(buffer.segment(), buffer.bytes(), buffer.length()));
            } else {
                values.add(value);
            }
        }
        HostCompiler.function(library, kernel.name(), FunctionDescriptor.ofVoid(values.stream().map(KernelRestartTest::layout)
                .toArray(MemoryLayout[]::new))).invokeWithArguments(values);
        return library.findOrThrow("pgas_starts").reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0);
    }

    private static MemoryLayout layout(Object value) {
        return switch (value) {
            case Integer _ -> ValueLayout.JAVA_INT;
            case Long _ -> ValueLayout.JAVA_LONG;
            case Float _ -> ValueLayout.JAVA_FLOAT;
            default -> ValueLayout.ADDRESS;
        };
    }

    @Test
    void shouldNotStartAgainWithinBounds() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fault = arena.allocate(FAULT_BYTES, Long.BYTES);
            Scale scale = new Scale(2, 1);
            Buffer y = buffer(arena);
            assertEquals(1, run(fault, buffer(arena), y, scale, LENGTH, arena));
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
            Buffer java = buffer(arena);
            kernel(buffer(arena), java, scale, LENGTH).run(null);
            assertEquals(-1, java.segment().mismatch(y.segment()));
        }
    }

    /** By Java the elements before the fault are written, once. */
    @Test
    void shouldEndAtTheFaultOfJava() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fault = arena.allocate(FAULT_BYTES, Long.BYTES);
            Scale scale = new Scale(2, 1);
            Buffer y = buffer(arena);
            assertEquals(2, run(fault, buffer(arena), y, scale, LENGTH + 1, arena));
            RuntimeException device = translated(kernel(y, y, scale, 0)).fault(fault.get(ValueLayout.JAVA_INT, 4), fault.get(
                    ValueLayout.JAVA_INT, 8), fault.get(ValueLayout.JAVA_LONG, 16), fault.get(ValueLayout.JAVA_LONG, SECOND_BYTES));
            Buffer java = buffer(arena);
            ThreadKernel kernel = kernel(buffer(arena), java, scale, LENGTH + 1);
            IndexOutOfBoundsException host = assertThrows(IndexOutOfBoundsException.class, () -> kernel.run(null));
            int line = Arrays.stream(host.getStackTrace()).filter(at -> at.getMethodName().equals("write")).findFirst().orElseThrow()
                    .getLineNumber();
            assertTrue(device.getMessage().startsWith("index 8 out of bounds for length 8 at "), device.getMessage());
            assertTrue(device.getMessage().contains("KernelRestartTest.java:" + line), device.getMessage());
            assertEquals(-1, java.segment().mismatch(y.segment()));
        }
    }

    @Test
    void shouldNotStartAgainBehindAStore() {
        Buffer x = null;
        Buffer y = null;
        Scale scale = new Scale(1, 0);
        assertTrue(mayRestart(kernel(x, y, scale, 1)));
        assertFalse(mayRestart(self -> {
            float[] row = new float[4];
            y.putFloat(0, 1);
            write(row, scale, y, 1);
        }));
    }

    @Test
    void shouldNotStartAgainInALoop() {
        Buffer y = null;
        Scale scale = new Scale(1, 0);
        assertFalse(mayRestart(self -> {
            float[] row = new float[4];
            for (int round = 0; round < 2; round++) {
                write(row, scale, y, 1);
            }
        }));
    }

    /** Others may have seen what the thread wrote there. */
    @Test
    void shouldNotStartAgainWithMemoryOfTheBlock() {
        Buffer y = null;
        Scale scale = new Scale(1, 0);
        assertFalse(mayRestart(self -> write(self.sharedFloats(4), scale, y, 1)));
    }

    /** Threads of a warp that start again would wait for those that do not. */
    @Test
    void shouldNotStartAgainApartFromAWarpThatMeets() {
        Buffer y = null;
        Scale scale = new Scale(1, 0);
        assertFalse(mayRestart(self -> {
            if (self.thread() < 16) {
                write(new float[4], scale, y, 1);
            }
            y.putInt(0, self.warpSum(1));
        }));
        assertTrue(mayRestart(self -> {
            if (self.lanes() == 32) {
                write(new float[4], scale, y, 1);
            }
            y.putInt(0, self.warpSum(1));
        }));
    }

    /** To meet other threads is an effect of its own. */
    @Test
    void shouldNotStartAgainBehindAMeeting() {
        Buffer y = null;
        Scale scale = new Scale(1, 0);
        assertFalse(mayRestart(self -> {
            int sum = self.warpSum(1);
            write(new float[4], scale, y, sum);
        }));
    }
}
