package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.Rank;

/** Output of a kernel, for comparison bit by bit. */
final class KernelResult {

    private final Rank rank;
    private final Buffer output;

    KernelResult(Rank rank, Buffer output) {
        this.rank = rank;
        this.output = output;
    }

    /** A copy of the output. */
    byte[] bytes() {
        try (Arena arena = Arena.ofShared()) {
            return PatternBytes.read(rank, output, arena).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Number of elements of the output that differ from those of an array of its type, or of bytes. */
    long differing(Object array) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment found = PatternBytes.read(rank, output, arena);
            MemorySegment expected = segment(array);
            if (expected.byteSize() != found.byteSize()) {
                throw new IllegalArgumentException("compares " + found.byteSize() + " bytes with " + expected.byteSize());
            }
            return differing(found, expected, output.type().bytes());
        }
    }

    private static long differing(MemorySegment found, MemorySegment expected, int bytes) {
        long differing = 0;
        for (long from = found.mismatch(expected); from >= 0; ) {
            differing++;
            long next = (from / bytes + 1) * bytes;
            long more = found.asSlice(next).mismatch(expected.asSlice(next));
            from = more < 0 ? -1 : next + more;
        }
        return differing;
    }

    private static MemorySegment segment(Object array) {
        return switch (array) {
            case byte[] bytes -> MemorySegment.ofArray(bytes);
            case int[] ints -> MemorySegment.ofArray(ints);
            case long[] longs -> MemorySegment.ofArray(longs);
            case float[] floats -> MemorySegment.ofArray(floats);
            case double[] doubles -> MemorySegment.ofArray(doubles);
            default -> throw new IllegalArgumentException("compares with " + array.getClass());
        };
    }
}
