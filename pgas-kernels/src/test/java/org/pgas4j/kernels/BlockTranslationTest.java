package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Callers;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.GridSplit;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.ThreadKernel;

/** Block programs written in Java: every operation of a block has a C++ form or an advice, and what the C++ of programs is. */
class BlockTranslationTest {

    private static String signature(Method method) {
        return method.getName() + MethodType.methodType(method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString();
    }

    /** One of both, and not both; those of KernelThread that stand on others are translated themselves. */
    private static void assertKnown(Class<?> type, KnownType known) {
        for (Method method : type.getMethods()) {
            if (Modifier.isStatic(method.getModifiers())) {
                continue;
            }
            String signature = signature(method);
            boolean isMemoryOfBlock = signature.matches("shared[A-Z][a-z]+s\\(I\\).*");
            boolean isTranslated = method.isDefault() && method.getDeclaringClass() != type;
            boolean hasForm = Intrinsics.of(known, signature) != null || isMemoryOfBlock || isTranslated;
            String advice = BlockIntrinsics.advice(type.getName().replace('.', '/'), signature);
            assertNotEquals(hasForm, advice != null, type.getSimpleName() + "." + signature + ": has a form: " + hasForm + ", advice: "
                    + advice);
        }
    }

    @Test
    void shouldKnowEveryOperationOfABlock() {
        assertKnown(GridRank.class, KnownType.GRID_RANK);
        assertKnown(GridSplit.class, KnownType.GRID_SPLIT);
        assertKnown(GridSourceWindow.class, KnownType.GRID_SOURCES);
    }

    private static String cuda(GridKernel body) {
        return KernelTranslator.translate(body, KernelForm.BLOCKS).cuda();
    }

    @Test
    void shouldCallTheDeviceLibrary() {
        Buffer memory = Buffer.ofHost(MemorySegment.ofArray(new long[8]), ElementType.BYTE);
        String cuda = cuda(self -> {
            int w = self.createWindow(Comm.WORLD, memory.slice(8, 16));
            self.put(Callers.WARP, w, 1, 0, memory, 4);
            self.awaitNotifications(3, 1);
            self.barrier(w > 0 ? Comm.WORLD : Comm.DEVICE);
            self.log("a \"word\"?", 1);
        });

        assertTrue(cuda.startsWith("#define PGAS_BLOCK_PROGRAM\n#include <pgas_device.cuh>\n"), cuda);
        for (String part : List.of("::pgas_win_create(pgas_enter(", "pgas_rank_put(p_grid_rank_", ", PGAS_CALLERS_WARP, ",
                "::pgas_wait_notifications(p_grid_rank_", "PGAS_WORLD", "PGAS_DEVICE", "\"a \\042word\\042\\077\"", "pgas_slice(",
                "extern \"C\" __global__ void __launch_bounds__(PGAS_MAX_THREADS, 1) pgas_BlockTranslationTest_")) {
            assertTrue(cuda.contains(part), part + " in\n" + cuda);
        }
    }

    /** Arrays of a block are in front of the memory that the launch gives. */
    @Test
    void shouldPlaceMemoryOfTheBlock() {
        TranslatedKernel kernel = KernelTranslator.translate((GridKernel) self -> {
            float[] values = self.sharedFloats(5);
            values[self.thread()] = self.sharedBuffer().getFloat(0);
        }, KernelForm.BLOCKS);

        assertEquals(32, kernel.blockBytes());
        assertTrue(kernel.cuda().contains("#define PGAS_BLOCK_BYTES 32\n"));
    }

    @Test
    void shouldTakeConstantsThatAreCaptured() {
        GridKernel program = barrier(Comm.DEVICE, AtomicOp.OR);
        TranslatedKernel kernel = KernelTranslator.translate(program, KernelForm.BLOCKS);

        assertTrue(kernel.cuda().contains("char *const *bases, int a0, int a1)"), kernel.cuda());
        assertEquals(List.of(Comm.DEVICE.ordinal(), AtomicOp.OR.code()), List.of(kernel.captured(program)));
    }

    /** A constant of an enum is no memory that could overlap with another. */
    @Test
    void shouldKeepMemoryApartFromMemoryOnly() {
        ThreadKernel kernel = set(Comm.DEVICE, Buffer.ofHost(MemorySegment.ofArray(new long[1]), ElementType.LONG));

        assertEquals(List.of(), KernelTranslator.translate(kernel, KernelForm.GRID).apart());
    }

    private static ThreadKernel set(Comm comm, Buffer memory) {
        return self -> set(comm, memory, self.thread());
    }

    private static void set(Comm comm, Buffer memory, int thread) {
        memory.putInt(thread, 1);
    }

    private static GridKernel barrier(Comm comm, AtomicOp op) {
        return self -> {
            self.barrier(comm);
            self.atomic(0, 0, 0, op, 1);
        };
    }

    @Test
    void shouldNameThePlaceOfAFault() {
        TranslatedKernel kernel = KernelTranslator.translate((GridKernel) self -> {
            long[] counts = self.sharedLongs(2);
            self.awaitSomeTags(0, 2, counts);
        }, KernelForm.BLOCKS);

        RuntimeException fault = kernel.fault(5, 0, 0, 0);
        assertTrue(fault.getMessage().matches("an array that .* make it by sharedLongs; at .*\\(BlockTranslationTest.java:\\d+\\)"),
                fault::toString);
    }

    /** Only programs with arrays pay for the order of what they store to other ranks' elements. */
    @Test
    void shouldOrderStoresToSharedArraysOnly() {
        assertTrue(!cuda(self -> self.fence()).contains(BlockSource.STORES));
    }

    private static String refusal(GridKernel body) {
        return assertThrows(KernelRefusedException.class, () -> cuda(body)).getMessage();
    }

    @Test
    void shouldRefuseWithAdvice() {
        assertTrue(refusal(self -> self.ptr(0, 0)).contains("calls org.pgas4j.GridRank.ptr, which kernels do not have; use part(window"));
        assertTrue(refusal(self -> self.blockIndex()).contains("use blockX(), blockY() and blockZ()"));
        assertTrue(refusal(self -> self.shared()).contains("use sharedBuffer()"));
        assertTrue(refusal(self -> self.put(0, 0, 0, (MemorySegment) null, 8)).contains("use the form that takes a Buffer"));
    }

    /** They would be words of 8 bytes. */
    @Test
    void shouldRefuseTypesThatAnOperationDoesNotTake() {
        Buffer memory = Buffer.ofHost(MemorySegment.ofArray(new long[8]), ElementType.BYTE);
        String word = "with a type that it does not take; use one of INT, LONG";
        assertTrue(refusal(self -> self.putSet(0, 0, 0, memory, 8, 8, ElementType.BYTE, 1)).contains("calls org.pgas4j.GridRank.putSet " + word));
        assertTrue(refusal(self -> self.putSet(Callers.WARP, 0, 0, 0, memory, 8, 8, ElementType.SHORT, 1)).contains(word));
        assertTrue(refusal(self -> self.awaitValue(0, 0, ElementType.CHAR, Comparison.EQUAL, 1)).contains(word));
        assertTrue(refusal(self -> self.testValue(0, 0, ElementType.FLOAT, Comparison.EQUAL, 1)).contains(word));
        assertTrue(refusal(self -> self.awaitAllValues(0, 0, 2, ElementType.DOUBLE, Comparison.EQUAL, 1)).contains(word));
        assertTrue(refusal(self -> self.split(Comm.WORLD, 0, 0, memory).allReduce(memory, memory, ElementType.BYTE, ReduceOp.SUM))
                .contains(word + ", FLOAT, DOUBLE"));
        assertTrue(refusal(self -> self.split(Comm.WORLD, 0, 0, memory).scan(memory, memory, ElementType.HALF, ReduceOp.SUM))
                .contains(word + ", FLOAT, DOUBLE"));
    }

    @Test
    void shouldTakeShapesAndSplits() {
        Buffer memory = Buffer.ofHost(MemorySegment.ofArray(new long[8]), ElementType.BYTE);
        String cuda = cuda(self -> {
            DeviceGrid.Dims shape = self.gridShape();
            GridSplit split = self.split(Comm.DEVICE, self.blockX() / shape.x(), 0, memory);
            split.allReduce(memory, memory, ElementType.DOUBLE, ReduceOp.MAX);
            split.free();
            Buffer there = self.part(0, 0);
            if (there != null && self.any(self.thread() == 0)) {
                there.putInt(self.thread(), 1);
            }
        });

        for (String part : List.of("pgas_dims {::pgas_grid_shape(", "pgas_split_reduce(", "PGAS_TYPE_DOUBLE, PGAS_REDUCE_MAX)",
                ".start == 0) goto", "j_KernelThread_any_")) {
            assertTrue(cuda.contains(part), part + " in\n" + cuda);
        }
    }

    /** A function of what programs in C++ stand on. */
    private static String function(String start) throws IOException {
        try (InputStream in = KernelTranslator.class.getResourceAsStream("pgas_java_blocks.cuh")) {
            String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            int from = all.indexOf(start);
            return all.substring(from, all.indexOf("\n}\n", from) + 3);
        }
    }

    /** Of each type, with 8 bytes in place of the windows of the device library. */
    @Test
    void shouldPutAndGetAllBytesOfAValue(@TempDir Path folder) throws Throwable {
        StringBuilder sizes = new StringBuilder();
        for (ElementType type : ElementType.values()) {
            sizes.append("type == ").append(type.ordinal()).append(" ? ").append(type.bytes()).append(" : ");
        }
        String source = """
                #include <cstring>
                typedef unsigned long long pgas_u64;
                struct pgas_context {};
                static char memory[8];
                template <typename T> void pgas_p(pgas_context *, int, int, pgas_u64 at, T value) {
                    memcpy(memory + at, &value, sizeof(T));
                }
                template <typename T> T pgas_g(pgas_context *, int, int, pgas_u64 at) {
                    T value;
                    memcpy(&value, memory + at, sizeof(T));
                    return value;
                }
                #define PGAS_FUNCTION static
                struct pgas_grid_rank { pgas_context *c; };
                static void pgas_end_if_dead(pgas_context *) {}
                static int pgas_type_bytes(int type) { return %s0; }
                %s
                %s
                extern "C" long long both(int type, long long bits) {
                    pgas_grid_rank self = {};
                    memset(memory, 0, sizeof(memory));
                    pgas_rank_p(&self, 0, 0, 0, type, bits);
                    long long all;
                    memcpy(&all, memory, sizeof(memory));
                    return pgas_rank_g(&self, 0, 0, 0, type) == bits ? all : -1;
                }
                """.formatted(sizes, function("PGAS_FUNCTION void pgas_rank_p("),
                        function("PGAS_FUNCTION long long pgas_rank_g("));
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup library = HostCompiler.compile(source, folder, arena);
            MethodHandle both = HostCompiler.function(library, "both",
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
            for (ElementType type : ElementType.values()) {
                long bits = -(1L << Byte.SIZE * type.bytes() - 2); // the first byte alone is 0
                assertEquals(bits & -1L >>> Long.SIZE - Byte.SIZE * type.bytes(), (long) both.invokeExact(type.ordinal(), bits),
                        type.name());
            }
        }
    }
}
