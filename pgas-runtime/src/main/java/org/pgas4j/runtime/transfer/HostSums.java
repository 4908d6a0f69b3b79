package org.pgas4j.runtime.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.pgas4j.ElementType;

/** Additions to elements that are atomic by the processor, to memory of any process of the node. Any thread. */
final class HostSums {

    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private HostSums() {
    }

    /**
     * Adds {@code alpha} times the elements of {@code src} to those of {@code dst}.
     *
     * @param dst    native memory; aligned at {@code d}
     * @param alpha  factor of FLOAT and DOUBLE
     * @param factor the same of INT and LONG
     */
    static void add(MemorySegment dst, long d, MemorySegment src, long s, long bytes, ElementType type, double alpha,
            long factor) {
        switch (type) {
            case INT -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    INT.getAndAdd(dst, d + at, (int) factor * src.get(ElementType.LAYOUT_INT, s + at));
                }
            }
            case LONG -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    LONG.getAndAdd(dst, d + at, factor * src.get(ElementType.LAYOUT_LONG, s + at));
                }
            }
            case FLOAT -> {
                for (long at = 0; at < bytes; at += Float.BYTES) {
                    add(dst, d + at, (float) alpha * src.get(ElementType.LAYOUT_FLOAT, s + at));
                }
            }
            case DOUBLE -> {
                for (long at = 0; at < bytes; at += Double.BYTES) {
                    add(dst, d + at, alpha * src.get(ElementType.LAYOUT_DOUBLE, s + at));
                }
            }
            default -> throw new IllegalArgumentException("accumulate: type=" + type);
        }
    }

    /** The bits of {@code alpha} times an element. */
    static long term(MemorySegment src, long s, ElementType type, double alpha) {
        return switch (type) {
            case INT -> (int) (long) alpha * src.get(ElementType.LAYOUT_INT, s);
            case LONG -> (long) alpha * src.get(ElementType.LAYOUT_LONG, s);
            case FLOAT -> Float.floatToRawIntBits((float) alpha * src.get(ElementType.LAYOUT_FLOAT, s));
            case DOUBLE -> Double.doubleToRawLongBits(alpha * src.get(ElementType.LAYOUT_DOUBLE, s));
            default -> throw new IllegalArgumentException("accumulate: type=" + type);
        };
    }

    private static void add(MemorySegment dst, long at, float term) {
        int seen = (int) INT.getVolatile(dst, at);
        while (true) {
            int found = (int) INT.compareAndExchange(dst, at, seen, Float.floatToRawIntBits(Float.intBitsToFloat(seen) + term));
            if (found == seen) {
                return;
            }
            seen = found;
        }
    }

    private static void add(MemorySegment dst, long at, double term) {
        long seen = (long) LONG.getVolatile(dst, at);
        while (true) {
            long found = (long) LONG.compareAndExchange(dst, at, seen,
                    Double.doubleToRawLongBits(Double.longBitsToDouble(seen) + term));
            if (found == seen) {
                return;
            }
            seen = found;
        }
    }
}
