package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;

/**
 * Kernels over a rank's elements of arrays with the same strides. All take the same arguments: result, two operands, two factors,
 * the number of elements, the lengths of all dimensions but the first, and the strides of all; missing dimensions come first,
 * with length 1. A block of the sum of products leaves one partial sum, in an order that depends on the number of blocks alone.
 */
final class ArrayKernels {

    /** Threads of a block, a power of two. */
    static final int THREADS = 256;

    /** A kernel's work on an element. */
    enum Operation {
        FILL("c[at] = alpha;"),
        SCALE("c[at] = alpha * c[at];"),
        ADD("c[at] = alpha * a[at] + beta * b[at];"),
        DOT("sum += (WIDE) a[at] * b[at];");

        private final String body;

        Operation(String body) {
            this.body = body;
        }
    }

    private static final int DIMENSIONS = Distribution.MAX_DIMENSIONS;
    private static final int COUNT = 5;
    private static final int LENGTHS = COUNT; // length of dimension d is at LENGTHS + d, from 1 on
    private static final int STRIDES = LENGTHS + DIMENSIONS;

    private static final String SOURCE = """
            __device__ __forceinline__ long long pgas_rest(long long &i, long long n) {
                if (n == 1) {
                    return 0;
                }
                long long quotient;
                if (((i | n) >> 32) == 0) {
                    quotient = (unsigned int) i / (unsigned int) n;  // a 64-bit division takes several times as long
                } else {
                    quotient = i / n;
                }
                long long rest = i - quotient * n;
                i = quotient;
                return rest;
            }

            extern "C" __global__ void NAME(RESULT *c, const TYPE *a, const TYPE *b, VALUE alpha, VALUE beta,
                    long long count, long long n1, long long n2, long long n3, long long n4, long long n5, long long n6,
                    long long n7,
                    long long s0, long long s1, long long s2, long long s3, long long s4, long long s5, long long s6,
                    long long s7) {
                WIDE sum = 0;
                long long step = (long long) gridDim.x * blockDim.x;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
                    long long rest = i;
                    long long at = pgas_rest(rest, n7) * s7;
                    at += pgas_rest(rest, n6) * s6;
                    at += pgas_rest(rest, n5) * s5;
                    at += pgas_rest(rest, n4) * s4;
                    at += pgas_rest(rest, n3) * s3;
                    at += pgas_rest(rest, n2) * s2;
                    at += pgas_rest(rest, n1) * s1;
                    at += rest * s0;
                    BODY
                }
                END
            }
            """;

    /** Elements of 16 bits that are read and written as floats. */
    private static final String HALVES = """
            struct pgas_half {
                unsigned short bits;

                __device__ operator float() const {
                    float x;
                    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
                    return x;
                }

                __device__ pgas_half &operator=(float x) {
                    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
                    return *this;
                }
            };

            struct pgas_bfloat16 {
                unsigned short bits;

                __device__ operator float() const {
                    return __uint_as_float((unsigned int) bits << 16);
                }

                __device__ pgas_bfloat16 &operator=(float x) {
                    unsigned int all = __float_as_uint(x);
                    bits = (unsigned short) ((x != x ? all | 0x400000 : all + 0x7fff + (all >> 16 & 1)) >> 16);
                    return *this;
                }
            };

            """;

    private static final String SUM_OF_BLOCK = """
            __shared__ WIDE sums[THREADS];
                sums[threadIdx.x] = sum;
                for (int half = THREADS / 2; half > 0; half /= 2) {
                    __syncthreads();
                    if (threadIdx.x < half) {
                        sums[threadIdx.x] += sums[threadIdx.x + half];
                    }
                }
                if (threadIdx.x == 0) {
                    c[blockIdx.x] = sums[0];
                }""";

    private static final Map<Operation, Map<ElementType, Kernel>> KERNELS = all();

    private ArrayKernels() {
    }

    /** The kernel of an operation on elements of a type. */
    static Kernel of(Operation operation, ElementType type) {
        return KERNELS.get(operation).get(type);
    }

    private static Map<Operation, Map<ElementType, Kernel>> all() {
        Map<Operation, Map<ElementType, Kernel>> all = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            Map<ElementType, Kernel> types = new EnumMap<>(ElementType.class);
            for (ElementType type : ElementType.values()) {
                types.put(type, kernel(operation, type));
            }
            all.put(operation, types);
        }
        return all;
    }

    private static String cType(ElementType type) {
        return switch (type) {
            case BYTE -> "signed char";
            case SHORT -> "short";
            case CHAR -> "unsigned short";
            case INT -> "int";
            case LONG -> "long long";
            case FLOAT -> "float";
            case DOUBLE -> "double";
            case HALF -> "pgas_half";
            case BFLOAT16 -> "pgas_bfloat16";
        };
    }

    /** The type of factors, in which an element's new value is computed; unsigned where an int would overflow. */
    private static String cTypeOfFactors(ElementType type) {
        return switch (type) {
            case BYTE, SHORT, CHAR -> "unsigned int";
            case HALF, BFLOAT16 -> "float";
            default -> cType(type);
        };
    }

    private static Kernel kernel(Operation operation, ElementType type) {
        String element = cType(type);
        String wide = type.isFloatingPoint() ? "double" : "long long";
        String kernel = "pgas_array_" + operation.name().toLowerCase(Locale.ROOT) + "_" + element.replace(" ", "_");
        boolean dot = operation == Operation.DOT;
        String source = (type.is16BitFloat() ? HALVES : "") + SOURCE.replace("BODY", operation.body)
                .replace("END", dot ? SUM_OF_BLOCK : "").replace("NAME", kernel)
                .replace("RESULT", dot ? wide : element).replace("THREADS", "" + THREADS).replace("TYPE", element)
                .replace("VALUE", cTypeOfFactors(type)).replace("WIDE", wide);
        return new Kernel(kernel, source, (at, args) -> body(operation, type, at, args));
    }

    /** Arguments of a launch. */
    static Object[] args(Buffer c, Buffer a, Buffer b, Object alpha, Object beta, LocalPart local) {
        Object[] args = new Object[STRIDES + DIMENSIONS];
        args[0] = c;
        args[1] = a;
        args[2] = b;
        args[3] = alpha;
        args[4] = beta;
        args[COUNT] = local.count();
        int missing = DIMENSIONS - local.dimensions();
        for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
            boolean there = dimension >= missing;
            if (dimension > 0) {
                args[LENGTHS + dimension] = there ? local.length(dimension - missing) : 1L;
            }
            args[STRIDES + dimension] = there ? local.stride(dimension - missing) : 0L;
        }
        return args;
    }

    /** Java form: the first thread of a block does the block's share of the rows of the last dimension. */
    private static void body(Operation operation, ElementType type, Kernel.At at, Kernel.Args args) {
        if (at.thread() > 0) {
            return;
        }
        long length = args.longAt(LENGTHS + DIMENSIONS - 1);
        long rows = args.longAt(COUNT) / length;
        long each = Math.ceilDiv(rows, (long) at.shape().blocks());
        RowMath math = RowMath.of(type);
        RowMath.Sum sum = new RowMath.Sum();
        MemorySegment c = args.segment(0);
        MemorySegment a = args.segment(1);
        MemorySegment b = args.segment(2);
        for (long row = at.block() * each; row < Math.min(rows, (at.block() + 1) * each); row++) {
            long place = place(row, args);
            switch (operation) {
                case FILL -> math.fill(c, place, length, number(type, args, 3));
                case SCALE -> math.scale(c, place, length, number(type, args, 3));
                case ADD -> math.add(c, a, b, place, length, number(type, args, 3), number(type, args, 4));
                case DOT -> math.dot(a, b, place, length, sum);
            }
        }
        if (operation == Operation.DOT && math.isIntegral()) {
            c.setAtIndex(ElementType.LAYOUT_LONG, at.block(), sum.integral);
        } else if (operation == Operation.DOT) {
            c.setAtIndex(ElementType.LAYOUT_DOUBLE, at.block(), sum.real);
        }
    }

    private static long place(long row, Kernel.Args args) {
        long place = 0;
        long rest = row;
        for (int dimension = DIMENSIONS - 2; dimension > 0; dimension--) {
            long length = args.longAt(LENGTHS + dimension);
            place += rest % length * args.longAt(STRIDES + dimension);
            rest /= length;
        }
        return place + rest * args.longAt(STRIDES);
    }

    private static Number number(ElementType type, Kernel.Args args, int index) {
        return switch (type) {
            case BYTE, SHORT, CHAR, INT -> args.intAt(index);
            case LONG -> args.longAt(index);
            case FLOAT, HALF, BFLOAT16 -> args.floatAt(index);
            case DOUBLE -> args.doubleAt(index);
        };
    }
}
