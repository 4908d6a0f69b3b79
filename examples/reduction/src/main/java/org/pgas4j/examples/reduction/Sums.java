package org.pgas4j.examples.reduction;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;

/**
 * A sum of values and, in floating point, of their halves, which is exact as well; {@code struct sums} of the kernels.
 *
 * @param whole the values
 * @param half  their halves
 */
public record Sums(long whole, double half) {

    static final Sums ZERO = new Sums(0, 0);

    /** Size in memory. */
    static final long BYTES = 16;

    Sums plus(Sums other) {
        return new Sums(whole + other.whole, half + other.half);
    }

    Sums plus(long value) {
        return new Sums(whole + value, half + 0.5 * value);
    }

    /** The {@code index}-th in memory. */
    static Sums get(MemorySegment memory, long index) {
        return new Sums(memory.get(ElementType.LAYOUT_LONG, index * BYTES),
                memory.get(ElementType.LAYOUT_DOUBLE, index * BYTES + 8));
    }

    void set(MemorySegment memory, long index) {
        memory.set(ElementType.LAYOUT_LONG, index * BYTES, whole);
        memory.set(ElementType.LAYOUT_DOUBLE, index * BYTES + 8, half);
    }
}
