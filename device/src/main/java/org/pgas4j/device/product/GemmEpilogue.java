package org.pgas4j.device.product;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.Bfloat16;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Activation;
import org.pgas4j.Kernel;
import org.pgas4j.device.AcceleratorStream;

/** Adds the bias to a product and applies its activation: a kernel behind the product, one thread an element of c. */
public final class GemmEpilogue {

    private static final double GELU_SCALE = 0.7978845608028654; // sqrt(2 / pi)
    private static final double GELU_CUBE = 0.044715;
    private static final Map<Element, Kernel> KERNELS = new ConcurrentHashMap<>();

    /** An element of c: its type in CUDA C++, the type to compute in, and how it is read and written. */
    private enum Element {
        DOUBLE("double", "double", "x = *p;", "*p = x;"),
        FLOAT("float", "float", "x = *p;", "*p = x;"),
        HALF("unsigned short", "float", "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(*p));",
                "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(*p) : \"f\"(x));"),
        BFLOAT16("unsigned short", "float", "x = __uint_as_float((unsigned int) *p << 16);",
                "asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(*p) : \"f\"(x));");

        private final String stored;
        private final String computed;
        private final String read;
        private final String write;

        Element(String stored, String computed, String read, String write) {
            this.stored = stored;
            this.computed = computed;
            this.read = read;
            this.write = write;
        }

        static Element of(Gemm gemm, ElementType result) {
            return switch (result) {
                case DOUBLE -> DOUBLE;
                case FLOAT -> FLOAT;
                default -> gemm.precision() == Gemm.Precision.HALF ? HALF : BFLOAT16;
            };
        }

        double get(MemorySegment memory, long at) {
            return switch (this) {
                case DOUBLE -> memory.get(ElementType.LAYOUT_DOUBLE, at * Double.BYTES);
                case FLOAT -> memory.get(ElementType.LAYOUT_FLOAT, at * Float.BYTES);
                case HALF -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at * Short.BYTES));
                case BFLOAT16 -> Bfloat16.toFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at * Short.BYTES));
            };
        }

        void set(MemorySegment memory, long at, double value) {
            switch (this) {
                case DOUBLE -> memory.set(ElementType.LAYOUT_DOUBLE, at * Double.BYTES, value);
                case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, at * Float.BYTES, (float) value);
                case HALF -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at * Short.BYTES,
                        Float.floatToFloat16((float) value));
                case BFLOAT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at * Short.BYTES, Bfloat16.of((float) value));
            }
        }
    }

    private GemmEpilogue() {
    }

    /** Queues what follows the product {@code gemm} in {@code c}. */
    public static void launch(AcceleratorStream stream, Kernel.Shape shape, Gemm gemm, Buffer c) {
        boolean biased = gemm.bias() != null;
        stream.launch(KERNELS.computeIfAbsent(Element.of(gemm, c.type()), GemmEpilogue::kernel), shape, new Object[] {
            c, biased ? gemm.bias() : c, biased, gemm.activation().ordinal(), gemm.m(), gemm.n(), gemm.ldc()});
    }

    private static Kernel kernel(Element element) {
        String name = "pgas_gemm_epilogue_" + element.name().toLowerCase(Locale.ROOT);
        return new Kernel(name, source(name, element), (at, args) -> finish(element, at, args));
    }

    private static String source(String name, Element element) {
        return """
                typedef STORED pgas_stored;
                typedef COMPUTED pgas_computed;

                static __device__ pgas_computed pgas_read(const pgas_stored *p) {
                    pgas_computed x;
                    READ
                    return x;
                }

                static __device__ void pgas_write(pgas_stored *p, pgas_computed x) {
                    WRITE
                }

                extern "C" __global__ void NAME(pgas_stored *c, const pgas_stored *bias, bool biased, int activation,
                                                long long m, long long n, long long ldc) {
                    long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x;
                    if (i >= m * n) {
                        return;
                    }
                    long long row = i % m;
                    pgas_stored *p = c + i / m * ldc + row;
                    pgas_computed x = pgas_read(p);
                    if (biased) {
                        x += pgas_read(bias + row);
                    }
                    if (activation == RELU) {
                        x = x < 0 ? 0 : x;
                    } else if (activation == GELU) {
                        x = x / 2 * (1 + tanh((pgas_computed) SCALE * (x + (pgas_computed) CUBE * x * x * x)));
                    }
                    pgas_write(p, x);
                }
                """.replace("STORED", element.stored).replace("COMPUTED", element.computed).replace("READ", element.read)
                .replace("WRITE", element.write).replace("NAME", name)
                .replace("RELU", Integer.toString(Activation.RELU.ordinal()))
                .replace("GELU", Integer.toString(Activation.GELU.ordinal()))
                .replace("SCALE", Double.toString(GELU_SCALE)).replace("CUBE", Double.toString(GELU_CUBE));
    }

    private static void finish(Element element, Kernel.At at, Kernel.Args args) {
        long rows = args.longAt(4);
        long i = at.global();
        if (i >= rows * args.longAt(5)) {
            return;
        }
        long row = i % rows;
        long place = i / rows * args.longAt(6) + row;
        double value = element.get(args.segment(0), place);
        if (args.booleanAt(2)) {
            value += element.get(args.segment(1), row);
        }
        element.set(args.segment(0), place, activate(Activation.values()[args.intAt(3)], value));
    }

    private static double activate(Activation activation, double value) {
        return switch (activation) {
            case NONE -> value;
            case RELU -> value < 0 ? 0 : value;
            case GELU -> value / 2 * (1 + Math.tanh(GELU_SCALE * (value + GELU_CUBE * value * value * value)));
        };
    }
}
