package org.pgas4j.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;

/**
 * Atomic operations on one word, by processors and by devices. Values are passed as the bits of a word: of 4-byte types the low half
 * counts. Words are aligned to their size. Thread-safe.
 */
public final class AtomicWords {

    /** Codes of operations and types as CUDA C++: {@code #define PGAS_ATOMIC_...}. */
    public static final String CONSTANTS = constants();

    /** The device's operations as CUDA C++, for kernels and for the device library; needs {@link #CONSTANTS}. */
    public static final String CUDA = read("pgas_atomic.cuh");

    /**
     * Operation of one thread. Arguments: the word as a buffer, {@link AtomicOp#code}, {@link #code}, operand and comparand as long,
     * a word that the device reaches for what was there, 1 if it is to be written there.
     */
    public static final Kernel KERNEL = new Kernel("pgas_atomic_kernel", CONSTANTS + CUDA + """
            extern "C" __global__ void pgas_atomic_kernel(void *word, int op, int type, long long operand,
                                                          long long comparand, long long *result, int fetches) {
                if (blockIdx.x == 0 && threadIdx.x == 0) {
                    unsigned long long old = pgas_atomic_bits(word, op, type, (unsigned long long) operand,
                                                              (unsigned long long) comparand);
                    if (fetches != 0) {
                        *result = (long long) old;
                    }
                }
            }
            """, AtomicWords::run);

    /** Shape of {@link #KERNEL}'s launches. */
    public static final Kernel.Shape SHAPE = new Kernel.Shape(1, 1);

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private AtomicWords() {
    }

    private static String constants() {
        StringBuilder text = new StringBuilder();
        for (AtomicOp op : AtomicOp.values()) {
            define(text, op.name(), op.code());
        }
        for (ElementType type : List.of(ElementType.INT, ElementType.LONG, ElementType.FLOAT, ElementType.DOUBLE)) {
            define(text, type.name(), code(type));
        }
        return text.toString();
    }

    private static void define(StringBuilder text, String name, int code) {
        text.append("#define PGAS_ATOMIC_").append(name).append(' ').append(code).append('\n');
    }

    private static String read(String name) {
        try (InputStream in = AtomicWords.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    private static void run(Kernel.At at, Kernel.Args args) {
        long old = apply(args.segment(0), 0, typeOf(args.intAt(2)), AtomicOp.ofCode(args.intAt(1)), args.longAt(3), args.longAt(4));
        if (args.intAt(6) != 0) {
            args.segment(5).set(ValueLayout.JAVA_LONG, 0, old);
        }
    }

    /** Number of a type in messages and kernels; never reused. */
    public static int code(ElementType type) {
        return switch (type) {
            case INT -> 1;
            case LONG -> 2;
            case FLOAT -> 3;
            case DOUBLE -> 4;
            default -> throw new IllegalArgumentException("type of an atomic word: " + type + " (expected: INT, LONG, FLOAT or DOUBLE)");
        };
    }

    /**
     * The type with a number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ElementType typeOf(long code) {
        return switch (Math.clamp(code, 0, 5)) {
            case 1 -> ElementType.INT;
            case 2 -> ElementType.LONG;
            case 3 -> ElementType.FLOAT;
            case 4 -> ElementType.DOUBLE;
            default -> throw new IllegalArgumentException("type of an atomic word: " + code + " (expected: 1..4)");
        };
    }

    /** Performs an operation by the processor; orders both ways. Returns the bits that were there, those of an int extended. */
    public static long apply(MemorySegment memory, long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        return type.bytes() == Long.BYTES ? apply64(memory, offset, type, op, operand, comparand)
                : apply32(memory, offset, type, op, (int) operand, (int) comparand);
    }

    private static long apply64(MemorySegment memory, long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        switch (op) {
            case GET:
                return (long) LONG.getVolatile(memory, offset);
            case SET, SWAP:
                return (long) LONG.getAndSet(memory, offset, operand);
            case COMPARE_SWAP:
                return (long) LONG.compareAndExchange(memory, offset, comparand, operand);
            case AND:
                return (long) LONG.getAndBitwiseAnd(memory, offset, operand);
            case OR:
                return (long) LONG.getAndBitwiseOr(memory, offset, operand);
            case XOR:
                return (long) LONG.getAndBitwiseXor(memory, offset, operand);
            default:
                break;
        }
        if (op == AtomicOp.ADD && type == ElementType.LONG) {
            return (long) LONG.getAndAdd(memory, offset, operand);
        }
        while (true) {
            long old = (long) LONG.getVolatile(memory, offset);
            if (LONG.compareAndSet(memory, offset, old, combine(type, op, old, operand))) {
                return old;
            }
        }
    }

    private static int apply32(MemorySegment memory, long offset, ElementType type, AtomicOp op, int operand, int comparand) {
        switch (op) {
            case GET:
                return (int) INT.getVolatile(memory, offset);
            case SET, SWAP:
                return (int) INT.getAndSet(memory, offset, operand);
            case COMPARE_SWAP:
                return (int) INT.compareAndExchange(memory, offset, comparand, operand);
            default:
                break;
        }
        if (op == AtomicOp.ADD && type == ElementType.INT) {
            return (int) INT.getAndAdd(memory, offset, operand);
        }
        while (true) {
            int old = (int) INT.getVolatile(memory, offset);
            if (INT.compareAndSet(memory, offset, old, (int) combine(type, op, old, operand))) {
                return old;
            }
        }
    }

    /** Bits of the word after an operation on it, all in bits. */
    public static long combine(ElementType type, AtomicOp op, long old, long operand) {
        return switch (type) {
            case LONG -> op.combine(old, operand);
            case INT -> (int) op.combine((long) (int) old, (int) operand);
            case DOUBLE -> Double.doubleToRawLongBits(op.combine(Double.longBitsToDouble(old),
                    Double.longBitsToDouble(operand)));
            case FLOAT -> Float.floatToRawIntBits((float) op.combine((double) Float.intBitsToFloat((int) old),
                    Float.intBitsToFloat((int) operand)));
            default -> throw new IllegalArgumentException("no atomic operations on words of type " + type);
        };
    }
}
