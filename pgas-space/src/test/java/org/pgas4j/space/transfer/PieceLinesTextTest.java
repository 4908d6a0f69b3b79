package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Strided;

/** The kernel's text for GPUs, on the processor, thread by thread, beside the loop of the host. */
@SuppressWarnings("restricted")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PieceLinesTextTest {

    private static final int BYTES = 1 << 20;
    private static final int NUMBERS = 6 + PieceKernels.MAX_LEVELS - 1 + 2 * PieceKernels.MAX_LEVELS; // of one shape
    private static final String BEFORE = """
            #include <cstring>
            #include <algorithm>
            #define __device__
            #define __global__
            #define __shared__ static
            #define __syncthreads()
            #define __forceinline__ inline
            #define __launch_bounds__(...)
            struct Index { unsigned int x; };
            static Index blockIdx, threadIdx, gridDim;
            struct uint4 { unsigned int x, y, z, w; };
            """;
    private static final String BEHIND = """

            extern "C" void copy(char *dst, const char *src, int blocks, int threads, int unit, int packed, const long long *a,
                    int pairs, long long next) {
                gridDim.x = blocks;
                for (blockIdx.x = 0; blockIdx.x < (unsigned) blocks; blockIdx.x++) {
                    for (threadIdx.x = 0; threadIdx.x < (unsigned) threads; threadIdx.x++) {
                        pgas_copy_lines(dst, src, unit, a[0], a[1], a[2], a[3], a[4], a[5], packed, a[6], a[7], a[8], a[9],
                                a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], pairs,
                                dst + next, dst + 2 * next, dst, dst, dst, dst, dst, src + unit, src + 2 * unit, src, src, src, src,
                                src);
                    }
                }
            }
            """;

    private static final Arena LIBRARY = Arena.ofShared();
    private static MethodHandle copy;

    @BeforeAll
    static void compile(@TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/g++")), "g++ is missing");
        Path file = Files.writeString(folder.resolve("lines.cpp"), BEFORE + PieceLines.KERNEL.cuda() + BEHIND);
        Path library = folder.resolve("lines.so");
        Process compiler = new ProcessBuilder("/usr/bin/g++", "-std=c++17", "-O1", "-Wno-unknown-pragmas", "-shared", "-fPIC",
                "-fno-strict-aliasing", "-fsanitize=alignment", "-fno-sanitize-recover", "-o", library.toString(), file.toString())
                .inheritIO().start();
        assertTrue(compiler.waitFor(100, TimeUnit.SECONDS));
        assertEquals(0, compiler.exitValue());
        copy = Linker.nativeLinker().downcallHandle(SymbolLookup.libraryLookup(library, LIBRARY).findOrThrow("copy"),
                FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG));
    }

    @AfterAll
    static void close() {
        LIBRARY.close();
    }

    @ParameterizedTest
    @CsvSource({
        // run, counts and strides of three levels, unit
        "8,      3, 2, 700,    48000, 17000, 8,     50000, 20000, 24,    8",
        "8,      1, 1, 5000,   0, 0, 16,            0, 0, 8,             8",
        "8,      2, 3, 300,    9000, 2408, 8,       30000, 9608, 32,     8",
        "512,    1, 9, 12,     0, 6152, 512,        0, 24584, 2048,      8",
        "11592,  1, 3, 7,      0, 81144, 11592,     0, 324576, 46368,    8",
        "48,     2, 3, 100,    30000, 7000, 64,     20000, 5000, 48,     4",
        "48,     2, 3, 100,    30000, 4800, 48,     40000, 9600, 96,     16",
        "20000,  2, 2, 3,      200000, 90000, 24000, 180000, 80000, 20000, 16",
        "20004,  2, 2, 3,      200000, 90000, 24000, 180000, 80000, 20004, 4",
        "70000,  1, 2, 3,      0, 260000, 80000,    0, 250000, 70000,    16",
        "12,     1, 4, 300,    0, 9000, 20,         0, 10000, 12,        4",
        "4,      1, 4, 300,    0, 1200, 4,          0, 10000, 12,        4",
        "1,      2, 1, 2000,   5001, 0, 2,          4001, 0, 1,          1"})
    void shouldCopyAsTheLoopOfTheHostDoes(long run, long n0, long n1, long n2, long d0, long d1, long d2, long s0, long s1,
            long s2, int unit) throws Throwable {
        Strided shape = Strided.of(run, new long[] {n0, n1, n2}, new long[] {d0, d1, d2}, new long[] {s0, s1, s2});
        long row = shape.count(shape.levels() - 1);

        for (HostPieces.Packed packed : HostPieces.Packed.values()) {
            for (int offset : new int[] {0, unit, 16, 112, 128 - unit}) {
                if (offset % unit == 0) {
                    check(shape, packed, 0, shape.count(), unit, offset);
                    if (shape.count() > row) {
                        check(shape, packed, row, shape.count() - row, unit, offset);
                    }
                }
            }
        }
    }

    private static void check(Strided shape, HostPieces.Packed packed, long first, long count, int unit, int offset)
            throws Throwable {
        for (int pairs : packed == HostPieces.Packed.NEITHER ? new int[] {1, 3} : new int[] {1}) {
            check(shape, packed, first, count, unit, offset, pairs);
        }
    }

    /** Pair number p takes units that are p units further from the source, to the p-th of memories next to each other. */
    private static void check(Strided shape, HostPieces.Packed packed, long first, long count, int unit, int offset, int pairs)
            throws Throwable {
        int all = pairs * BYTES;
        byte[] bytes = new byte[BYTES + 2 * unit];
        new Random(5).nextBytes(bytes);
        byte[] expected = new byte[all];
        for (int pair = 0; pair < pairs; pair++) {
            HostPieces.copy(MemorySegment.ofArray(expected).asSlice(offset), (long) pair * BYTES, MemorySegment.ofArray(bytes),
                    (long) pair * unit, shape, packed, first, count);
        }
        Object[] arguments = PieceLines.of(shape, first, count, unit).arguments(unit, packed, pairs);

        try (Arena arena = Arena.ofConfined()) {
            MemorySegment src = arena.allocate(bytes.length, 128).copyFrom(MemorySegment.ofArray(bytes));
            MemorySegment dst = arena.allocate(all, 128);
            MemorySegment numbers = arena.allocate(ValueLayout.JAVA_LONG, NUMBERS);
            int at = 0;
            for (int i = 3; at < NUMBERS; i++) {
                if (i != 9) { // how it is packed
                    numbers.setAtIndex(ValueLayout.JAVA_LONG, at++, ((Number) arguments[i]).longValue());
                }
            }
            copy.invoke(dst.asSlice(offset), src, 3, PieceLines.CHUNK / 4, unit, packed.ordinal(), numbers, pairs, (long) BYTES);

            assertArrayEquals(expected, dst.toArray(ValueLayout.JAVA_BYTE),
                    shape + " packed=" + packed + " first=" + first + " offset=" + offset + " pairs=" + pairs);
        }
    }
}
