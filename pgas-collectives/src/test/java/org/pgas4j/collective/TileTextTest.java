package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernels.KernelForm;

/** The CUDA C++ of kernels that combine elements of arrays, compiled by g++, with a thread of the processor for each of a block. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TileTextTest {

    private static final int TILE = HostTiles.TILE;
    private static final int[] COUNTS = {17, 2 * TILE + 35};
    private static final int RESULTS = 300; // a chain of more than one step

    @TempDir
    private Path folder;

    private static LongCombiner ofLongs(int factor) {
        return (a, b) -> factor * a - (b >> 1);
    }

    private static DoubleCombiner ofDoubles(double factor) {
        return (a, b) -> factor * a - Math.abs(b);
    }

    private static String cuda() throws IOException {
        try (InputStream in = TileTextTest.class.getResourceAsStream("cuda_on_threads.h")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8) + """
                    #include <cstring>
                    #define __shared__ static // blocks run one after the other
                    static float __uint_as_float(unsigned bits) { float f; memcpy(&f, &bits, 4); return f; }
                    static unsigned __float_as_uint(float f) { unsigned bits; memcpy(&bits, &f, 4); return bits; }
                    """;
        }
    }

    /** Runs the kernels on blocks one after the other, and prints the bits of all results. */
    private static String program(ElementType type, Kernel combine, Kernel chain, Kernel prefix, String captured) {
        return """

                typedef in_combine::NAMESPACE::pgas_element element;
                static element from[LENGTH], to[LENGTH + 1], before[LENGTH + 1];
                static element value(int i) {
                    int v = i % 101;
                    return VALUE;
                }
                static void print(const element *of, long long count) {
                    for (long long i = 0; i < count; i++) {
                        unsigned long long bits = 0;
                        memcpy(&bits, of + i, sizeof(element));
                        printf("%llx\\n", bits);
                    }
                }
                static void on_blocks(const std::function<void()> &kernel) {
                    for (unsigned b = 0; b < 2; b++) {
                        launch(1, 256, -1, 1, [&] {
                            blockIdx.x = b;
                            gridDim.x = 2;
                            kernel();
                        });
                    }
                }
                int main() {
                    for (int i = 0; i < LENGTH; i++) {
                        from[i] = value(i);
                        before[i] = value(i + 3);
                    }
                    for (long long count : {COUNTS}) {
                        long long tiles = (count + 4095) / 4096;
                        on_blocks([&] { in_combine::NAMESPACE::COMBINE(to, from, countCAPTURED); });
                        print(to, tiles);
                        for (int first = 0; first < 2; first++) {
                            on_blocks([&] { in_prefix::NAMESPACE::PREFIX(to, from, before, count, firstCAPTURED); });
                            print(to, count);
                        }
                    }
                    for (int first = 0; first < 2; first++) {
                        to[0] = value(5);
                        launch(1, 256, -1, 1, [&] { in_chain::NAMESPACE::CHAIN(to, from, RESULTS, firstCAPTURED); });
                        print(to + 1, RESULTS);
                    }
                    return 0;
                }
                """.replace("NAMESPACE::", captured.isEmpty() ? "" : "pgas_combining::").replace("COMBINE", combine.name())
                .replace("PREFIX", prefix.name()).replace("CHAIN", chain.name())
                .replace("CAPTURED", captured)
                .replace("VALUE", type == ElementType.BFLOAT16 ? "(element) (__float_as_uint(v / 4.0f) >> 16)"
                        : type.isFloatingPoint() ? "(element) (v / 4.0)" : "(element) v")
                .replace("COUNTS", Arrays.stream(COUNTS).mapToObj(each -> each + "ll").collect(Collectors.joining(", ")))
                .replace("LENGTH", "" + COUNTS[COUNTS.length - 1]).replace("RESULTS", "" + RESULTS);
    }

    private static long value(ElementType type, int i) {
        int v = i % 101;
        return type.isFloatingPoint() ? Double.doubleToRawLongBits(v / 4.0) : v;
    }

    private static void print(ElementType type, MemorySegment memory, long offset, int count, StringBuilder lines) {
        for (int i = 0; i < count; i++) {
            MemorySegment element = memory.asSlice(offset + type.bytes(i), type.bytes());
            long bits = switch (type.bytes()) {
                case 1 -> element.get(ValueLayout.JAVA_BYTE, 0) & 0xff;
                case 2 -> element.get(ElementType.LAYOUT_SHORT, 0) & 0xffff;
                case 4 -> element.get(ElementType.LAYOUT_INT, 0) & 0xffffffffL;
                default -> element.get(ElementType.LAYOUT_LONG, 0);
            };
            lines.append(Long.toHexString(bits)).append('\n');
        }
    }

    /** The same by the host. */
    private static String expected(ElementType type, Reduction op) {
        int length = COUNTS[COUNTS.length - 1];
        MemorySegment from = MemorySegment.ofArray(new long[length]);
        MemorySegment to = MemorySegment.ofArray(new long[length + 1]);
        for (int i = 0; i < length; i++) {
            ArrayElements.set(type, from, i, value(type, i));
        }
        StringBuilder lines = new StringBuilder();
        HostTiles host = new HostTiles(type, op);
        for (int count : COUNTS) {
            int tiles = Math.ceilDiv(count, TILE);
            for (int tile = 0; tile < tiles; tile++) {
                host.combine(from, type.bytes((long) tile * TILE), Math.min(TILE, count - tile * TILE), to, type.bytes(tile));
            }
            print(type, to, 0, tiles, lines);
            for (int first = 0; first < 2; first++) {
                for (int tile = 0; tile < tiles; tile++) {
                    long at = type.bytes((long) tile * TILE);
                    host.prefixes(from, at, Math.min(TILE, count - tile * TILE), to, at, value(type, tile + 3), first + tile > 0);
                }
                print(type, to, 0, count, lines);
            }
        }
        for (int first = 0; first < 2; first++) {
            long total = value(type, 5);
            for (int i = 0; i < RESULTS; i++) {
                total = first + i > 0 ? ArrayElements.apply(type, op, total, value(type, i)) : value(type, i);
                ArrayElements.set(type, to, i, total);
            }
            print(type, to, 0, RESULTS, lines);
        }
        return lines.toString();
    }

    private static String run(Path folder, String... command) throws Exception {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(4, TimeUnit.MINUTES);
        process.destroyForcibly();
        return (ended ? process.waitFor() : "not at all") + "\n" + Files.readString(log);
    }

    /** @param inFront of the source of each of the kernels, which combine, chain and make prefixes */
    private void givesTheBitsOfTheHost(ElementType type, Reduction op, List<Kernel> kernels, String inFront, String captured)
            throws Exception {
        assumeTrue(System.getenv("PATH") != null && List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, "g++"))), "g++ is missing, which compiles kernels");
        StringBuilder text = new StringBuilder(cuda() + inFront);
        List<String> names = List.of("combine", "chain", "prefix");
        for (int i = 0; i < names.size(); i++) {
            text.append("namespace in_").append(names.get(i)).append(" {\n")
                    .append(kernels.get(i).cuda().substring(inFront.length())).append("}\n");
        }
        Path source = folder.resolve("tiles.cpp");
        Path program = folder.resolve("tiles");
        Files.writeString(source, text + program(type, kernels.get(0), kernels.get(1), kernels.get(2), captured));
        assertEquals("0\n", run(folder, "g++", "-std=c++20", "-O1", "-pthread", "-fwrapv", "-ffp-contract=off",
                "-Wno-unknown-pragmas", "-o", program.toString(), source.toString()));
        List<String> found = run(folder, program.toString()).lines().toList();
        List<String> expected = ("0\n" + expected(type, op)).lines().toList();
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < found.size(); i++) {
            assertEquals(expected.get(i), found.get(i), type + " " + op + ", line " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"BYTE", "LONG", "BFLOAT16"})
    void shouldCombineInTheOrderOfTheHost(ElementType type) throws Exception {
        givesTheBitsOfTheHost(type, ReduceOp.SUM, Stream.of(TileKernels.Work.values())
                .map(work -> TileKernels.of(work, type, ReduceOp.SUM)).toList(), "", "");
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"CHAR", "DOUBLE", "BFLOAT16"})
    void shouldCombineByAFunctionWithItsValues(ElementType type) throws Exception {
        Reduction op = type.isFloatingPoint() ? Reduction.ofDoubles(ofDoubles(0.75)) : Reduction.ofLongs(ofLongs(3));
        TranslatedFunction function = type.isFloatingPoint() ? TranslatedFunction.of(ofDoubles(0.75), KernelForm.COMBINE_DOUBLES)
                : TranslatedFunction.of(ofLongs(3), KernelForm.COMBINE_LONGS);
        String captured = Arrays.stream(function.arguments()).map(each -> ", " + each).collect(Collectors.joining());
        givesTheBitsOfTheHost(type, op, Stream.of(TileKernels.Work.values())
                .map(work -> TileKernels.of(work, type, op, function)).toList(), function.cuda(), captured);
    }
}
