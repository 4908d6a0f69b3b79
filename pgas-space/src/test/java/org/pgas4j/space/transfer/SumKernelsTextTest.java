package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Indexed;
import org.pgas4j.Pieces;
import org.pgas4j.Strided;

/** The text for GPUs of the kernels that add pieces, on the processor, thread by thread, beside a plain loop. */
@SuppressWarnings("restricted")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SumKernelsTextTest {

    private static final int ELEMENTS = 64;
    private static final int ALPHA = -3;
    private static final String BEFORE = """
            #define __device__
            #define __global__
            #define __forceinline__ inline
            struct Index { unsigned int x; };
            static Index blockIdx, threadIdx, gridDim, blockDim;
            template <typename T> void atomicAdd_system(T *to, T value) {
                *to += value;
            }
            """;
    private static final String THREADS = """
                gridDim.x = 2;
                blockDim.x = 5;
                for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
                    for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {
            """;

    private static final Arena LIBRARY = Arena.ofShared();
    private static SymbolLookup library;

    @BeforeAll
    static void compile(@TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/g++")), "g++ is missing");
        StringBuilder text = new StringBuilder(BEFORE).append(PieceKernels.PLACE);
        for (KernelSum sum : KernelSum.values()) {
            String name = sum.suffix();
            text.append(PieceKernels.SUMS.get(sum).cuda().substring(PieceKernels.PLACE.length()));
            text.append(IndexedKernels.SUMS.get(sum).cuda().substring(PieceKernels.PLACE.length()));
            text.append("extern \"C\" void listed_" + name + "(char *dst, const char *src, const long long *offsets, "
                    + "long long each, long long count) {\n" + THREADS + "pgas_accumulate_indexed_" + name + "(dst, src, offsets, " + ALPHA
                    + ", each, count); } } }\n");
            text.append("extern \"C\" void rows_" + name + "(char *dst, const char *src, long long each, long long rows, "
                    + "long long d, long long s) {\n" + THREADS + "pgas_accumulate_" + name + "(dst, src, " + ALPHA
                    + ", each, 0, rows, 0, 1, 1, 1, rows, 0, 0, 0, 0, d, 0, 0, 0, 0, s); } } }\n");
        }
        Path file = Files.writeString(folder.resolve("sums.cpp"), text);
        Path binary = folder.resolve("sums.so");
        Process compiler = new ProcessBuilder("/usr/bin/g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-fno-strict-aliasing",
                "-fsanitize=alignment", "-fno-sanitize-recover", "-o", binary.toString(), file.toString()).inheritIO().start();
        assertTrue(compiler.waitFor(100, TimeUnit.SECONDS));
        assertEquals(0, compiler.exitValue());
        library = SymbolLookup.libraryLookup(binary, LIBRARY);
    }

    @AfterAll
    static void close() {
        LIBRARY.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddListedPiecesThatOverlap(KernelSum sum) throws Throwable {
        int size = sum.type().bytes();
        long[] dst = {0, 3L * size, 4L * size, 40L * size, 4L * size};
        long[] src = {10L * size, 0, 7L * size, 30L * size, 30L * size};
        Indexed list = Indexed.of(3L * size, dst, src);

        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024, 8);
            OffsetList offsets = new OffsetList(memory, 3L * size, HostPieces.Packed.NEITHER, dst.length);
            for (int i = 0; i < dst.length; i++) {
                offsets.add(dst[i], src[i]);
            }
            MemorySegment target = terms(arena, sum);
            handle("listed_" + sum.suffix(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invoke(target, terms(arena, sum), memory, 3L, (long) offsets.count());
            check(list, sum, target);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddRowsThatOverlap(KernelSum sum) throws Throwable {
        int size = sum.type().bytes();
        Strided shape = Strided.rows(4L * size, 9, 3L * size, 6L * size);

        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = terms(arena, sum);
            handle("rows_" + sum.suffix(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                    .invoke(target, terms(arena, sum), 4L, 9L, 3L * size, 6L * size);
            check(shape, sum, target);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), descriptor);
    }

    private static MemorySegment terms(Arena arena, KernelSum sum) {
        MemorySegment terms = arena.allocate(sum.type().bytes(ELEMENTS), 16);
        for (int i = 0; i < ELEMENTS; i++) {
            switch (sum) {
                case INT -> terms.setAtIndex(ValueLayout.JAVA_INT, i, i + 1);
                case LONG -> terms.setAtIndex(ValueLayout.JAVA_LONG, i, i + 1L);
                case FLOAT -> terms.setAtIndex(ValueLayout.JAVA_FLOAT, i, i + 1f);
                default -> terms.setAtIndex(ValueLayout.JAVA_DOUBLE, i, i + 1d);
            }
        }
        return terms;
    }

    private static void check(Pieces pieces, KernelSum sum, MemorySegment target) {
        double[] expected = new double[ELEMENTS];
        for (int i = 0; i < ELEMENTS; i++) {
            expected[i] = i + 1;
        }
        int size = sum.type().bytes();
        pieces.forEach((d, s, bytes) -> {
            for (long at = 0; at < bytes; at += size) {
                expected[(int) ((d + at) / size)] += ALPHA * ((s + at) / size + 1.0);
            }
        });
        for (int i = 0; i < ELEMENTS; i++) {
            double seen = switch (sum) {
                case INT -> target.getAtIndex(ValueLayout.JAVA_INT, i);
                case LONG -> target.getAtIndex(ValueLayout.JAVA_LONG, i);
                case FLOAT -> target.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                default -> target.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            };
            assertEquals(expected[i], seen, sum + " element " + i);
        }
    }
}
