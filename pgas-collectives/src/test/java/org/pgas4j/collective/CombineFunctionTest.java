package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Bfloat16;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.Reduction;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;

/** The CUDA C++ of kernels that combine elements by functions of a program, compiled by g++. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CombineFunctionTest {

    private static final int SOURCES = 5;
    private static final int COUNT = 101;

    @TempDir
    private Path folder;

    private static LongCombiner ofLongs(int factor) {
        return (a, b) -> factor * a - (b >> 1);
    }

    private static DoubleCombiner ofDoubles(double factor) {
        return (a, b) -> factor * a - Math.abs(b);
    }

    private static double apply(ElementType type, Reduction op, double a, double b) {
        return switch (type) {
            case CHAR -> (char) op.apply((long) a, (long) b);
            case LONG -> op.apply((long) a, (long) b);
            case FLOAT -> (float) op.apply(a, b);
            case BFLOAT16 -> Bfloat16.toFloat(Bfloat16.of((float) op.apply(a, b)));
            default -> op.apply(a, b);
        };
    }

    private static double value(ElementType type, int source, int i) {
        double value = i % 17 * 5 + source;
        return type.isFloatingPoint() ? value / 4 : value;
    }

    private static double expected(ElementType type, Reduction op, int first, int count, int i) {
        if (count == 1) {
            return value(type, first, i);
        }
        int half = Integer.highestOneBit(count - 1);
        return apply(type, op, expected(type, op, first, half, i), expected(type, op, first + half, count - half, i));
    }

    private static String cuda() throws IOException {
        try (InputStream in = CombineFunctionTest.class.getResourceAsStream("cuda_on_threads.h")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8) + """
                    #include <cstring>
                    static float __uint_as_float(unsigned bits) { float f; memcpy(&f, &bits, 4); return f; }
                    static unsigned __float_as_uint(float f) { unsigned bits; memcpy(&bits, &f, 4); return bits; }
                    """;
        }
    }

    /** Runs the kernel on vectors that are aligned and on such that are not, and prints the result. */
    private static String program(ElementType type, Kernel kernel, Object[] captured) {
        String load = type == ElementType.BFLOAT16 ? "(pgas_combining::pgas_element) (__float_as_uint((float) v) >> 16)"
                : "(pgas_combining::pgas_element) v";
        String print = type == ElementType.BFLOAT16 ? "__uint_as_float((unsigned) e << 16)" : "(double) e";
        return """

                static uint4 memory[SOURCES + 1][COUNT];
                int main() {
                    for (int skip = 0; skip < 2; skip++) {
                        pgas_combining::pgas_element *v_of[SOURCES + 1];
                        for (int s = 0; s <= SOURCES; s++) {
                            v_of[s] = (pgas_combining::pgas_element *) memory[s] + skip;
                            for (int i = 0; i < COUNT && s < SOURCES; i++) {
                                double v = (i % 17 * 5 + s)SCALE;
                                v_of[s][i] = LOAD;
                            }
                        }
                        gridDim.x = 2, blockDim.x = 3;
                        for (blockIdx.x = 0; blockIdx.x < 2; blockIdx.x++) {
                            for (threadIdx.x = 0; threadIdx.x < 3; threadIdx.x++) {
                                pgas_combining::KERNEL((char *) v_of[SOURCES], ARGUMENTS, COUNTCAPTURED);
                            }
                        }
                        for (int i = 0; i < COUNT; i++) {
                            pgas_combining::pgas_element e = v_of[SOURCES][i];
                            printf("%.17g\\n", PRINT);
                        }
                    }
                    return 0;
                }
                """.replace("KERNEL", kernel.name()).replace("SCALE", type.isFloatingPoint() ? " / 4.0" : "").replace("LOAD", load)
                .replace("PRINT", print)
                .replace("CAPTURED", Arrays.stream(captured).map(each -> ", " + each).collect(Collectors.joining()))
                .replace("ARGUMENTS", IntStream.range(0, SOURCES).mapToObj(s -> "(char *) v_of[" + s + "]")
                        .collect(Collectors.joining(", ")))
                .replace("SOURCES", "" + SOURCES).replace("COUNT", "" + COUNT);
    }

    private static String run(Path folder, String... command) throws Exception {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(4, TimeUnit.MINUTES);
        process.destroyForcibly();
        return (ended ? process.waitFor() : "not at all") + "\n" + Files.readString(log);
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"CHAR", "LONG", "FLOAT", "BFLOAT16"})
    void shouldCombineByAFunctionWithItsValues(ElementType type) throws Exception {
        assumeTrue(System.getenv("PATH") != null && List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, "g++"))), "g++ is missing, which compiles kernels");
        Reduction op = type.isFloatingPoint() ? Reduction.ofDoubles(ofDoubles(0.75)) : Reduction.ofLongs(ofLongs(3));
        TranslatedFunction function = type.isFloatingPoint() ? TranslatedFunction.of(ofDoubles(0.75), KernelForm.COMBINE_DOUBLES)
                : TranslatedFunction.of(ofLongs(3), KernelForm.COMBINE_LONGS);
        Kernel kernel = CombineKernels.of(type, op, function, SOURCES);
        Path source = folder.resolve("combine.cpp");
        Path program = folder.resolve("combine");
        Files.writeString(source, cuda() + kernel.cuda() + program(type, kernel, function.arguments()));

        assertEquals("0\n", run(folder, "g++", "-std=c++20", "-O1", "-pthread", "-fwrapv", "-ffp-contract=off",
                "-Wno-unknown-pragmas", "-o", program.toString(), source.toString()));
        List<String> lines = run(folder, program.toString()).lines().toList();

        assertEquals("0", lines.getFirst());
        assertEquals(2 * COUNT + 1, lines.size());
        for (int i = 0; i < 2 * COUNT; i++) {
            assertEquals(expected(type, op, 0, SOURCES, i % COUNT), Double.parseDouble(lines.get(i + 1)), "element " + i);
        }
    }

    @Test
    void shouldCompileOnceForAllValuesOfAFunction() {
        Reduction op = Reduction.ofLongs(ofLongs(1));
        Kernel first = CombineKernels.of(ElementType.INT, op, TranslatedFunction.of(ofLongs(1), KernelForm.COMBINE_LONGS), 2);
        Kernel second = CombineKernels.of(ElementType.INT, op, TranslatedFunction.of(ofLongs(2), KernelForm.COMBINE_LONGS), 2);
        assertEquals(first.code(), second.code());
        LongCombiner other = (a, b) -> a;
        Kernel third = CombineKernels.of(ElementType.INT, op, TranslatedFunction.of(other, KernelForm.COMBINE_LONGS), 2);
        assertNotEquals(first.code(), third.code());
    }

    @Test
    void shouldRefuseFunctionsOfObjects() {
        List<Long> values = List.of(1L);
        LongCombiner uses = (a, b) -> a + b + values.getFirst();
        assertThrows(KernelRefusedException.class, () -> KernelTranslator.translate(uses, KernelForm.COMBINE_LONGS));
        Buffer buffer = Buffer.ofHost(MemorySegment.ofArray(new long[1]), ElementType.LONG);
        LongCombiner reads = (a, b) -> a + b + buffer.getLong(0);
        assertThrows(KernelRefusedException.class, () -> KernelTranslator.translate(reads, KernelForm.COMBINE_LONGS));
    }
}
