package org.pgas4j.array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Strided;

/** Sets a rank's elements to copies of one, whatever their type and memory: puts of some copies, again and again. */
final class ElementFill {

    private static final long MAX_BYTES = 64 << 10;

    private ElementFill() {
    }

    /** Sets this rank's elements; complete locally at return. */
    static void fill(GlobalArray array, MemorySegment element) {
        LocalPart local = array.local();
        if (local.count() == 0) {
            return;
        }
        long bytes = array.elementBytes();
        long row = local.length(local.dimensions() - 1);
        long copies = Math.min(row, Math.max(1, MAX_BYTES / bytes));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(copies * bytes);
            for (long i = 0; i < copies; i++) {
                MemorySegment.copy(element, 0, memory, i * bytes, bytes);
            }
            Buffer source = Buffer.ofHost(memory, ElementType.BYTE);
            put(array, local, 0, source, copies, row / copies);
            put(array, local, row - row % copies, source, row % copies, 1);
        }
    }

    /** Puts {@code count} elements {@code times} times, one behind the other, to every row from its element {@code from} on. */
    private static void put(GlobalArray array, LocalPart local, long from, Buffer source, long count, long times) {
        int dimensions = local.dimensions();
        long bytes = array.elementBytes();
        long[] counts = new long[dimensions];
        long[] strides = new long[dimensions];
        for (int dimension = 0; dimension < dimensions - 1; dimension++) {
            counts[dimension] = local.length(dimension);
            strides[dimension] = local.stride(dimension) * bytes;
        }
        counts[dimensions - 1] = times;
        strides[dimensions - 1] = count * bytes;
        array.owner().rma().put(array.pointer(array.team().rank(), local.offset() + from), source,
                Strided.of(count * bytes, counts, strides, new long[dimensions]), Completion.LOCAL);
    }
}
