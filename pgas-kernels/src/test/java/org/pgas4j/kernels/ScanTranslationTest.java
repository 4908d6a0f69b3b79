package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.LongKernel;

/** Scans in C++, of one thread here, by each operation. */
class ScanTranslationTest {

    private static final int LENGTH = 9;
    private static final int ARRAY_BYTES = 48;
    private static final int SCAN_BYTES = 2 * ARRAY_BYTES + 40;

    @TempDir
    private Path folder;

    private static long value(long i) {
        return i % 4 == 3 ? 0 : 6 - 5 * i;
    }

    private static MemorySegment scan(Arena arena, ReduceOp op, boolean exclusive) {
        MemorySegment scan = arena.allocate(SCAN_BYTES, 8);
        scan.set(ValueLayout.JAVA_LONG, 8, LENGTH);
        scan.set(ValueLayout.JAVA_INT, 32, 1); // ranks
        scan.set(ValueLayout.JAVA_LONG, 2 * ARRAY_BYTES + 8, LENGTH);
        scan.set(ValueLayout.JAVA_LONG, 2 * ARRAY_BYTES + 16, LENGTH);
        scan.set(ValueLayout.JAVA_INT, 2 * ARRAY_BYTES + 24, op.ordinal());
        scan.set(ValueLayout.JAVA_INT, 2 * ARRAY_BYTES + 28, exclusive ? 1 : 0);
        scan.set(ValueLayout.JAVA_INT, 2 * ARRAY_BYTES + 32, 1); // writes
        return scan;
    }

    /** Logical operations make 0 or 1 of the first value, too. */
    @Test
    void shouldWritePrefixesByEachOperation() throws Throwable {
        LongKernel body = i -> value(i);
        TranslatedKernel kernel = KernelTranslator.translate(body, KernelForm.SCAN_LONGS);
        MemoryLayout layout = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(SCAN_BYTES / 8, ValueLayout.JAVA_LONG));
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(kernel.cuda(), folder, arena);
            MethodHandle function = HostCompiler.function(library, kernel.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, layout, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
            MemorySegment fault = arena.allocate(48, 8);
            MemorySegment array = arena.allocate(LENGTH * 8L, 8);
            MemorySegment bases = arena.allocateFrom(ValueLayout.ADDRESS, array);
            MemorySegment parts = arena.allocate(8, 8);
            for (ReduceOp op : ReduceOp.values()) {
                boolean isLogical = op == ReduceOp.LOGICAL_AND || op == ReduceOp.LOGICAL_OR;
                long[] with = new long[LENGTH];
                for (int i = 0; i < LENGTH; i++) {
                    with[i] = i > 0 ? op.apply(with[i - 1], value(i)) : isLogical ? op.apply(value(0), value(0)) : value(0);
                }
                long first = 77;
                function.invokeExact(fault, bases, scan(arena, op, false), parts, first);
                assertArrayEquals(with, array.toArray(ValueLayout.JAVA_LONG), op.name());
                function.invokeExact(fault, bases, scan(arena, op, true), parts, first);
                long[] before = new long[LENGTH];
                before[0] = first;
                System.arraycopy(with, 0, before, 1, LENGTH - 1);
                assertArrayEquals(before, array.toArray(ValueLayout.JAVA_LONG), op + " of those before");
            }
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
        }
    }
}
