package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgas4j.CudaCode;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

/**
 * Kernels that combine up to {@value #MAX_SOURCES} vectors element by element, in the order of the tree of {@link
 * HostCombiner}. One for each type, operation and number of sources, so that all loads of a thread are under way before it
 * uses the first: sources of other devices are some microseconds away. Arguments: destination, sources, count of elements.
 * The destination may be one of the sources. Any thread.
 */
final class CombineKernels {

    /** A power of two: runs of so many members are subtrees. */
    static final int MAX_SOURCES = 8;

    static final int THREADS = 512;

    private static final int VECTORS_IN_FLIGHT = 8;

    private static final Map<Long, Kernel> KERNELS = new ConcurrentHashMap<>();

    private CombineKernels() {
    }

    /** The kernel for a number of sources, 2 to {@value #MAX_SOURCES}. */
    static Kernel of(ElementType type, ReduceOp op, int sources) {
        long key = (long) type.code() << 32 | (long) op.code() << 16 | sources;
        return KERNELS.computeIfAbsent(key, _ -> make(type, op, sources));
    }

    private static Kernel make(ElementType type, ReduceOp op, int sources) {
        String name = "pgas_combine_" + type.name().toLowerCase(Locale.ROOT) + "_" + op.name().toLowerCase(Locale.ROOT) + "_"
                + sources;
        return new Kernel(name, source(name, type, CombineText.functions(type, op, sources), "", sources),
                (at, args) -> combine(at, args, type, op, sources));
    }

    /** The same for a function of the program; its arguments come behind the count. */
    static Kernel of(ElementType type, Reduction op, DeviceFunction function, int sources) {
        String name = "pgas_combine_" + type.name().toLowerCase(Locale.ROOT) + "_by_" + sources;
        // The program's own text comes last: it may have the words that are replaced here.
        CudaCode code = FunctionCodes.of(function, name, THREADS,
                () -> source(name, type, "", CombineText.localFunctions(type, "@CALL@", sources), sources)
                        .replace("long long count)", "long long count" + function.parameters() + ")")
                        .replace("@OPENING@", function.opening()).replace("@CALL@", function.call()));
        return new Kernel(name, (at, args) -> {
            try {
                combine(at, args, type, op, sources);
            } catch (RuntimeException | Error e) {
                function.failed(at.block(), e);
            }
        }, code);
    }

    // ---- CUDA

    /** The type of C that an element is. */
    static String cType(ElementType type) {
        return switch (type) {
            case BYTE -> "signed char";
            case INT -> "int";
            case LONG -> "long long";
            case FLOAT -> "float";
            case DOUBLE -> "double";
            case SHORT -> "short";
            case CHAR, HALF, BFLOAT16 -> "unsigned short";
        };
    }

    /** {@code a op b}; minimum and maximum as {@link Math#min(double, double)} has them: NaN wins, -0 is below 0. */
    static String expression(ElementType type, ReduceOp op) {
        String sign = type == ElementType.DOUBLE ? "__double_as_longlong(a) < 0" : "__float_as_int(a) < 0";
        boolean floating = type.isFloatingPoint();
        String value = switch (op) {
            case SUM -> floating ? "a + b" : "(pgas_element) ((pgas_unsigned) a + (pgas_unsigned) b)";
            case PRODUCT -> floating ? "a * b" : "(pgas_element) ((pgas_unsigned) a * (pgas_unsigned) b)";
            case MIN -> floating ? "a < b || a != a || (a == b && " + sign + ") ? a : b" : "a < b ? a : b";
            case MAX -> floating ? "a > b || a != a || (a == b && !(" + sign + ")) ? a : b" : "a > b ? a : b";
            case AND -> "(pgas_element) (a & b)";
            case OR -> "(pgas_element) (a | b)";
            case XOR -> "(pgas_element) (a ^ b)";
            case LOGICAL_AND -> "(pgas_element) (a != 0 && b != 0 ? 1 : 0)";
            case LOGICAL_OR -> "(pgas_element) (a != 0 || b != 0 ? 1 : 0)";
            case UNSIGNED_MIN -> "(pgas_unsigned) a < (pgas_unsigned) b ? a : b";
            case UNSIGNED_MAX -> "(pgas_unsigned) a > (pgas_unsigned) b ? a : b";
        };
        return type.is16BitFloat() ? ofHalves(type, value, "") : value;
    }

    /**
     * An expression of elements of 16 bits, which are combined as floats and rounded to the nearest, ties to even.
     *
     * @param floats   combines {@code a} and {@code b}
     * @param captured how it takes the other variables that it uses
     */
    static String ofHalves(ElementType type, String floats, String captured) {
        String body = type == ElementType.HALF ? """
                float a, b; \
                asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(p)); \
                asm("cvt.f32.f16 %0, %1;" : "=f"(b) : "h"(q)); \
                float x = VALUE; \
                unsigned short bits; \
                asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); \
                return bits; \
                """ : """
                float a = __uint_as_float((unsigned) p << 16); \
                float b = __uint_as_float((unsigned) q << 16); \
                float x = VALUE; \
                unsigned bits = __float_as_uint(x); \
                return (unsigned short) ((x != x ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16); \
                """;
        return "[" + captured + "](unsigned short p, unsigned short q) -> unsigned short { " + body.replace("VALUE", floats)
                + "}(a, b)";
    }

    /** Combines {@code x[0]} to {@code x[sources - 1]} into {@code x[0]}. */
    static String tree(int sources) {
        StringBuilder text = new StringBuilder();
        appendRun(text, 0, sources);
        return text.toString();
    }

    private static void appendRun(StringBuilder text, int first, int count) {
        if (count > 1) {
            int half = Integer.highestOneBit(count - 1);
            appendRun(text, first, half);
            appendRun(text, first + half, count - half);
            text.append("x[").append(first).append("] = pgas_apply(x[").append(first).append("], x[").append(first + half)
                    .append("]); ");
        }
    }

    private static String list(int sources, String before, String between) {
        return IntStream.range(0, sources).mapToObj(i -> before + i).collect(Collectors.joining(between));
    }

    /**
     * The kernel.
     *
     * @param functions {@code pgas_apply} and {@code pgas_tree}, or nothing
     * @param local     statements that make them in the kernel, or nothing
     */
    private static String source(String name, ElementType type, String functions, String local, int sources) {
        return """
                typedef TYPE pgas_element;
                typedef UNSIGNED pgas_unsigned;
                static const int PER_VECTOR = 16 / sizeof(pgas_element);

                union pgas_vector {
                    uint4 all;
                    pgas_element each[PER_VECTOR];
                };
                FUNCTIONS
                extern "C" __global__ void __launch_bounds__(THREADS) NAME(char *dst, PARAMETERS, long long count) {
                    LOCAL
                    const char *const sources[SOURCES] = {ARGUMENTS};
                    long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;
                    long long step = (long long) gridDim.x * blockDim.x;
                    unsigned long long bits = (unsigned long long) dst;
                    for (int s = 0; s < SOURCES; s++) {
                        bits |= (unsigned long long) sources[s];
                    }
                    long long done = 0;
                    if ((bits & 15) == 0) {
                        long long vectors = count / PER_VECTOR;
                        done = vectors * PER_VECTOR;
                        COMBINED_VECTORS
                    }
                    for (long long i = done + first; i < count; i += step) {
                        pgas_element x[SOURCES];
                        for (int s = 0; s < SOURCES; s++) {
                            x[s] = ((const pgas_element *) sources[s])[i];
                        }
                        ((pgas_element *) dst)[i] = pgas_tree(x);
                    }
                }
                """.replace("FUNCTIONS", functions).replace("    LOCAL\n", local)
                .replace("COMBINED_VECTORS", CombineText.vectors("((uint4 *) dst)[i + b * step] = result.all;", 8))
                .replace("PARAMETERS", list(sources, "const char *s", ", ")).replace("ARGUMENTS", list(sources, "s", ", "))
                .replace("UNSIGNED", type == ElementType.LONG ? "unsigned long long" : "unsigned").replace("NAME", name)
                .replace("THREADS", Integer.toString(THREADS)).replace("SOURCES", Integer.toString(sources))
                .replace("BATCH", Integer.toString(Math.max(1, VECTORS_IN_FLIGHT / sources))).replace("TYPE", cType(type));
    }

    // ---- Java

    private static void combine(Kernel.At at, Kernel.Args args, ElementType type, Reduction op, int sources) {
        long count = args.longAt(sources + 1);
        long threads = (long) at.shape().blocks() * at.shape().threads();
        long each = Math.ceilDiv(count, threads);
        long begin = Math.min(count, each * at.global());
        long end = Math.min(count, begin + each);
        int length = CollectiveLimits.BLOCK_BYTES / type.bytes();
        if (begin < end) {
            Accumulators blocks = Accumulators.of(type, MAX_SOURCES, CollectiveLimits.BLOCK_BYTES);
            for (long i = begin; i < end; i += length) {
                int n = (int) Math.min(length, end - i);
                for (int s = 0; s < sources; s++) {
                    blocks.load(s, args.segment(s + 1), i * type.bytes(), n);
                }
                combineRun(blocks, 0, sources, n, op);
                MemorySegment dst = args.segment(0);
                blocks.store(0, dst, i * type.bytes(), n);
            }
        }
    }

    /** Combines blocks {@code first} to {@code first + count - 1} into the first of them. */
    static void combineRun(Accumulators blocks, int first, int count, int n, Reduction op) {
        if (count > 1) {
            int half = Integer.highestOneBit(count - 1);
            combineRun(blocks, first, half, n, op);
            combineRun(blocks, first + half, count - half, n, op);
            blocks.combine(first, first + half, n, op);
        }
    }
}
