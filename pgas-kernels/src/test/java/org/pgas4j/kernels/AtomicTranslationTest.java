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
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalDoubles;
import org.pgas4j.GlobalFloats;
import org.pgas4j.GlobalInts;
import org.pgas4j.GlobalLongs;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** Atomic operations on elements of global arrays and of memory of the block in C++, and what is refused of them. */
class AtomicTranslationTest {

    private static final int ELEMENTS = 16;
    private static final int PLACE_LONGS = 16;
    private static final int OLD = -6;
    private static final int OPERAND = 10;

    @TempDir
    private Path folder;

    /** Element {@code op.code()} has the operation; the last elements have the exchanges. */
    private static void longs(GlobalLongs a, Buffer out) {
        out.putLong(0, a.atomic(0, AtomicOp.GET, OPERAND));
        out.putLong(1, a.atomic(1, AtomicOp.SET, OPERAND));
        out.putLong(2, a.atomic(2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, a.atomic(4, AtomicOp.ADD, OPERAND));
        out.putLong(5, a.atomic(5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, a.atomic(6, AtomicOp.MIN, OPERAND));
        VarHandle.releaseFence();
        out.putLong(7, a.atomic(7, AtomicOp.MAX, OPERAND));
        VarHandle.acquireFence();
        out.putLong(8, a.atomic(8, AtomicOp.AND, OPERAND));
        out.putLong(9, a.atomic(9, AtomicOp.OR, OPERAND));
        out.putLong(10, a.atomic(10, AtomicOp.XOR, OPERAND));
        out.putLong(11, a.atomic(11, AtomicOp.UNSIGNED_MIN, OPERAND));
        out.putLong(12, a.atomic(12, AtomicOp.UNSIGNED_MAX, OPERAND));
        out.putLong(14, a.compareAndExchange(14, OLD, OPERAND));
        out.putLong(15, a.compareAndExchange(15, OPERAND, 3));
    }

    private static void ints(GlobalInts a, Buffer out) {
        out.putLong(0, a.atomic(0, AtomicOp.GET, OPERAND));
        out.putLong(1, a.atomic(1, AtomicOp.SET, OPERAND));
        out.putLong(2, a.atomic(2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, a.atomic(4, AtomicOp.ADD, OPERAND));
        out.putLong(5, a.atomic(5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, a.atomic(6, AtomicOp.MIN, OPERAND));
        out.putLong(7, a.atomic(7, AtomicOp.MAX, OPERAND));
        out.putLong(8, a.atomic(8, AtomicOp.AND, OPERAND));
        out.putLong(9, a.atomic(9, AtomicOp.OR, OPERAND));
        out.putLong(10, a.atomic(10, AtomicOp.XOR, OPERAND));
        out.putLong(11, a.atomic(11, AtomicOp.UNSIGNED_MIN, OPERAND));
        out.putLong(12, a.atomic(12, AtomicOp.UNSIGNED_MAX, OPERAND));
        out.putLong(14, a.compareAndExchange(14, OLD, OPERAND));
        out.putLong(15, a.compareAndExchange(15, OPERAND, 3));
    }

    private static void doubles(GlobalDoubles a, Buffer out) {
        out.putLong(0, (long) a.atomic(0, AtomicOp.GET, OPERAND));
        out.putLong(1, (long) a.atomic(1, AtomicOp.SET, OPERAND));
        out.putLong(2, (long) a.atomic(2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, (long) a.atomic(4, AtomicOp.ADD, OPERAND));
        out.putLong(5, (long) a.atomic(5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, (long) a.atomic(6, AtomicOp.MIN, OPERAND));
        out.putLong(7, (long) a.atomic(7, AtomicOp.MAX, OPERAND));
    }

    private static void floats(GlobalFloats a, Buffer out) {
        out.putLong(0, (long) a.atomic(0, AtomicOp.GET, OPERAND));
        out.putLong(1, (long) a.atomic(1, AtomicOp.SET, OPERAND));
        out.putLong(2, (long) a.atomic(2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, (long) a.atomic(4, AtomicOp.ADD, OPERAND));
        out.putLong(5, (long) a.atomic(5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, (long) a.atomic(6, AtomicOp.MIN, OPERAND));
        out.putLong(7, (long) a.atomic(7, AtomicOp.MAX, OPERAND));
    }

    private static MemorySegment place(Arena arena) {
        MemorySegment place = arena.allocate(PLACE_LONGS * Long.BYTES, Long.BYTES);
        for (int axis = 0; axis < 3; axis++) {
            long at = axis * 4L * Long.BYTES;
            long length = axis == 2 ? ELEMENTS : 1;
            place.set(ValueLayout.JAVA_LONG, at, length);
            place.set(ValueLayout.JAVA_LONG, at + 8, length);
            place.set(ValueLayout.JAVA_LONG, at + 16, 1);
            place.set(ValueLayout.JAVA_INT, at + 24, 1);
        }
        place.set(ValueLayout.JAVA_INT, 12 * Long.BYTES + 8 + 3 * Integer.BYTES, 1); // dimensions
        return place;
    }

    private void compare(ThreadKernel kernel, ElementType type) throws Throwable {
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.GRID);
        assertTrue(translated.usesAtomics());
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(translated.cuda(), folder, arena);
            MemorySegment fault = arena.allocate(48, 8);
            MemorySegment array = arena.allocate(ELEMENTS * 8L, 8);
            MemorySegment out = arena.allocate(ELEMENTS * 8L, 8);
            MemorySegment bases = arena.allocateFrom(ValueLayout.ADDRESS, array);
            for (int i = 0; i < ELEMENTS; i++) {
                switch (type) {
                    case INT -> array.setAtIndex(ValueLayout.JAVA_INT, i, OLD);
                    case LONG -> array.setAtIndex(ValueLayout.JAVA_LONG, i, OLD);
                    case FLOAT -> array.setAtIndex(ValueLayout.JAVA_FLOAT, i, OLD);
                    default -> array.setAtIndex(ValueLayout.JAVA_DOUBLE, i, OLD);
                }
            }
            MemoryLayout place = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(PLACE_LONGS, ValueLayout.JAVA_LONG));
            HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    place, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invokeExact(fault, bases, place(arena), out, ELEMENTS * 8L, (long) ELEMENTS);
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
            for (AtomicOp op : AtomicOp.values()) {
                if (op != AtomicOp.COMPARE_SWAP && op.isOf(type)) {
                    assertEquals(op.combine((long) OLD, (long) OPERAND), value(array, type, op.code()), () -> op + " of " + type);
                    assertEquals(OLD, out.getAtIndex(ValueLayout.JAVA_LONG, op.code()), () -> "before " + op + " of " + type);
                }
            }
            if (AtomicOp.AND.isOf(type)) {
                assertEquals(OPERAND, value(array, type, 14));
                assertEquals(OLD, value(array, type, 15));
                assertEquals(OLD, out.getAtIndex(ValueLayout.JAVA_LONG, 14));
                assertEquals(OLD, out.getAtIndex(ValueLayout.JAVA_LONG, 15));
            }
        }
    }

    private static long value(MemorySegment array, ElementType type, int index) {
        return switch (type) {
            case INT -> array.getAtIndex(ValueLayout.JAVA_INT, index);
            case LONG -> array.getAtIndex(ValueLayout.JAVA_LONG, index);
            case FLOAT -> (long) array.getAtIndex(ValueLayout.JAVA_FLOAT, index);
            default -> (long) array.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
        };
    }

    @Test
    void shouldDoEachOperationOfLongs() throws Throwable {
        GlobalLongs a = null;
        Buffer out = null;
        compare(_ -> longs(a, out), ElementType.LONG);
    }

    @Test
    void shouldDoEachOperationOfInts() throws Throwable {
        GlobalInts a = null;
        Buffer out = null;
        compare(_ -> ints(a, out), ElementType.INT);
    }

    @Test
    void shouldDoEachOperationOfDoubles() throws Throwable {
        GlobalDoubles a = null;
        Buffer out = null;
        compare(_ -> doubles(a, out), ElementType.DOUBLE);
    }

    @Test
    void shouldDoEachOperationOfFloats() throws Throwable {
        GlobalFloats a = null;
        Buffer out = null;
        compare(_ -> floats(a, out), ElementType.FLOAT);
    }

    // ---- memory of the block: what was there, and behind it what is there then

    private static void blockInts(KernelThread self, Buffer out) {
        int[] memory = self.sharedInts(ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++) {
            memory[i] = OLD;
        }
        out.putLong(0, self.atomic(memory, 0, AtomicOp.GET, OPERAND));
        out.putLong(1, self.atomic(memory, 1, AtomicOp.SET, OPERAND));
        out.putLong(2, self.atomic(memory, 2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, self.atomic(memory, 4, AtomicOp.ADD, OPERAND));
        out.putLong(5, self.atomic(memory, 5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, self.atomic(memory, 6, AtomicOp.MIN, OPERAND));
        out.putLong(7, self.atomic(memory, 7, AtomicOp.MAX, OPERAND));
        out.putLong(8, self.atomic(memory, 8, AtomicOp.AND, OPERAND));
        out.putLong(9, self.atomic(memory, 9, AtomicOp.OR, self.threads() > 5 ? 0 : OPERAND));
        out.putLong(10, self.atomic(memory, 10, AtomicOp.XOR, OPERAND));
        out.putLong(11, self.atomic(memory, 11, AtomicOp.UNSIGNED_MIN, OPERAND));
        out.putLong(12, self.atomic(memory, 12, AtomicOp.UNSIGNED_MAX, OPERAND));
        out.putLong(14, self.compareAndExchange(memory, 14, OLD, OPERAND));
        out.putLong(15, self.compareAndExchange(memory, 15, OPERAND, 3));
        for (int i = 0; i < ELEMENTS; i++) {
            out.putLong(ELEMENTS + i, memory[i]);
        }
    }

    private static void blockLongs(KernelThread self, Buffer out) {
        long[] memory = self.sharedLongs(ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++) {
            memory[i] = OLD;
        }
        out.putLong(0, self.atomic(memory, 0, AtomicOp.GET, OPERAND));
        out.putLong(1, self.atomic(memory, 1, AtomicOp.SET, OPERAND));
        out.putLong(2, self.atomic(memory, 2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, self.atomic(memory, 4, AtomicOp.ADD, OPERAND));
        out.putLong(5, self.atomic(memory, 5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, self.atomic(memory, 6, AtomicOp.MIN, OPERAND));
        out.putLong(7, self.atomic(memory, 7, AtomicOp.MAX, OPERAND));
        out.putLong(8, self.atomic(memory, 8, AtomicOp.AND, OPERAND));
        out.putLong(9, self.atomic(memory, 9, AtomicOp.OR, OPERAND));
        out.putLong(10, self.atomic(memory, 10, AtomicOp.XOR, OPERAND));
        out.putLong(11, self.atomic(memory, 11, AtomicOp.UNSIGNED_MIN, OPERAND));
        out.putLong(12, self.atomic(memory, 12, AtomicOp.UNSIGNED_MAX, OPERAND));
        out.putLong(14, self.compareAndExchange(memory, 14, OLD, OPERAND));
        out.putLong(15, self.compareAndExchange(memory, 15, OPERAND, 3));
        for (int i = 0; i < ELEMENTS; i++) {
            out.putLong(ELEMENTS + i, memory[i]);
        }
    }

    private static void blockFloats(KernelThread self, Buffer out) {
        float[] memory = self.sharedFloats(ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++) {
            memory[i] = OLD;
        }
        out.putLong(0, (long) self.atomic(memory, 0, AtomicOp.GET, OPERAND));
        out.putLong(1, (long) self.atomic(memory, 1, AtomicOp.SET, OPERAND));
        out.putLong(2, (long) self.atomic(memory, 2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, (long) self.atomic(memory, 4, AtomicOp.ADD, OPERAND));
        out.putLong(5, (long) self.atomic(memory, 5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, (long) self.atomic(memory, 6, AtomicOp.MIN, OPERAND));
        out.putLong(7, (long) self.atomic(memory, 7, AtomicOp.MAX, OPERAND));
        for (int i = 0; i < ELEMENTS; i++) {
            out.putLong(ELEMENTS + i, (long) memory[i]);
        }
    }

    private static void blockDoubles(KernelThread self, Buffer out) {
        double[] memory = self.sharedDoubles(ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++) {
            memory[i] = OLD;
        }
        out.putLong(0, (long) self.atomic(memory, 0, AtomicOp.GET, OPERAND));
        out.putLong(1, (long) self.atomic(memory, 1, AtomicOp.SET, OPERAND));
        out.putLong(2, (long) self.atomic(memory, 2, AtomicOp.SWAP, OPERAND));
        out.putLong(4, (long) self.atomic(memory, 4, AtomicOp.ADD, OPERAND));
        out.putLong(5, (long) self.atomic(memory, 5, AtomicOp.MULTIPLY, OPERAND));
        out.putLong(6, (long) self.atomic(memory, 6, AtomicOp.MIN, OPERAND));
        out.putLong(7, (long) self.atomic(memory, 7, AtomicOp.MAX, OPERAND));
        for (int i = 0; i < ELEMENTS; i++) {
            out.putLong(ELEMENTS + i, (long) memory[i]);
        }
    }

    private static void check(MemorySegment out, ElementType type, String where) {
        for (AtomicOp op : AtomicOp.values()) {
            if (op != AtomicOp.COMPARE_SWAP && op.isOf(type)) {
                assertEquals(OLD, out.getAtIndex(ValueLayout.JAVA_LONG, op.code()), () -> "before " + op + " of " + type + where);
                assertEquals(op.combine((long) OLD, (long) OPERAND), out.getAtIndex(ValueLayout.JAVA_LONG, ELEMENTS + op.code()),
                        () -> op + " of " + type + where);
            }
        }
        if (AtomicOp.AND.isOf(type)) {
            assertEquals(List.of((long) OLD, (long) OLD, (long) OPERAND, (long) OLD), Stream.of(14, 15, ELEMENTS + 14, ELEMENTS + 15)
                    .map(i -> out.getAtIndex(ValueLayout.JAVA_LONG, i)).toList(), () -> "exchanges of " + type + where);
        }
    }

    /** In C++ and, by the same method, on the host device. */
    private void checkBlock(ThreadKernel kernel, BiConsumer<KernelThread, Buffer> method, ElementType type) throws Throwable {
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.GRID);
        assertFalse(translated.usesAtomics());
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(translated.cuda(), folder, arena);
            MemorySegment fault = arena.allocate(48, 8);
            MemorySegment out = arena.allocate(2 * ELEMENTS * 8L, 8);
            HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invokeExact(fault, MemorySegment.NULL, out, out.byteSize(), 2L * ELEMENTS);
            assertEquals(0, fault.get(ValueLayout.JAVA_INT, 0));
            check(out, type, " in C++");
        }
        MemorySegment onHost = MemorySegment.ofArray(new long[2 * ELEMENTS]);
        method.accept(new KernelWarpTest.LoneThread(), Buffer.ofHost(onHost, ElementType.LONG));
        check(onHost, type, " on the host device");
    }

    @Test
    void shouldDoEachOperationOfIntsOfABlock() throws Throwable {
        Buffer out = null;
        checkBlock(self -> blockInts(self, out), AtomicTranslationTest::blockInts, ElementType.INT);
    }

    @Test
    void shouldDoEachOperationOfLongsOfABlock() throws Throwable {
        Buffer out = null;
        checkBlock(self -> blockLongs(self, out), AtomicTranslationTest::blockLongs, ElementType.LONG);
    }

    @Test
    void shouldDoEachOperationOfFloatsOfABlock() throws Throwable {
        Buffer out = null;
        checkBlock(self -> blockFloats(self, out), AtomicTranslationTest::blockFloats, ElementType.FLOAT);
    }

    @Test
    void shouldDoEachOperationOfDoublesOfABlock() throws Throwable {
        Buffer out = null;
        checkBlock(self -> blockDoubles(self, out), AtomicTranslationTest::blockDoubles, ElementType.DOUBLE);
    }

    /** Sources of kernels without such operations have no text of theirs. */
    @Test
    void shouldNotAskForOperationsOfAdditions() {
        GlobalLongs a = null;
        ThreadKernel kernel = _ -> a.addTo(0, a.getAndAdd(1, 2));
        assertFalse(KernelTranslator.translate(kernel, KernelForm.GRID).usesAtomics());
    }

    @Test
    void shouldOrderByFencesOfTheWholeSystem() {
        GlobalLongs a = null;
        ThreadKernel kernel = _ -> {
            a.put(0, 1);
            VarHandle.releaseFence();
            a.atomic(1, AtomicOp.SET, 1);
        };
        String cuda = KernelTranslator.translate(kernel, KernelForm.GRID).cuda();
        String body = cuda.substring(cuda.lastIndexOf("\n// ---- "));
        assertTrue(body.indexOf("pgas_fence_all()") > body.indexOf(" = 1LL;"), body);
        assertTrue(body.indexOf("pgas_fence_all()") < body.indexOf("PGAS_ATOMIC_SET"), body);
    }

    private static void refused(ThreadKernel kernel, String advice) {
        String message = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.translate(kernel, KernelForm.GRID)).getMessage();
        assertTrue(message.contains(advice), message);
    }

    @Test
    void shouldRefuseOperationsThatElementsLack() {
        GlobalDoubles doubles = null;
        GlobalLongs longs = null;
        AtomicOp any = AtomicOp.ADD;
        refused(_ -> doubles.atomic(0, AtomicOp.XOR, 1), "only integers have XOR");
        refused(_ -> longs.atomic(0, AtomicOp.COMPARE_SWAP, 1), "use compareAndExchange");
        refused(self -> self.atomic(self.sharedFloats(1), 0, AtomicOp.AND, 1f), "only integers have AND");
        refused(self -> self.atomic(self.sharedInts(1), 0, AtomicOp.COMPARE_SWAP, 1), "use compareAndExchange");
        refused(self -> longs.atomic(0, self.thread() == 0 ? any : AtomicOp.MIN, 1), "name a constant of AtomicOp");
    }
}
