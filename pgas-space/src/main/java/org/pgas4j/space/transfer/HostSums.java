package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.device.AtomicWords;

/** Additions to elements that are atomic by the processor, to memory of any process of the node. Any thread. */
final class HostSums {

    private HostSums() {
    }

    /**
     * Adds {@code alpha} times the elements of {@code src} to those of {@code dst}.
     *
     * @param dst native memory; aligned at {@code d}
     */
    static void add(MemorySegment dst, long d, MemorySegment src, long s, long bytes, ElementType type, double alpha) {
        for (long at = 0; at < bytes; at += type.bytes()) {
            AtomicWords.apply(dst, d + at, type, AtomicOp.ADD, term(src, s + at, type, alpha), 0);
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
}
