package org.pgas4j.bench.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;

/** Memory of a case on a rank's device, freed together. For the rank's thread. */
public final class KernelMemories implements AutoCloseable {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Rank rank;
    private final List<Buffer> all = new ArrayList<>();

    public KernelMemories(Rank rank) {
        this.rank = rank;
    }

    /** New memory, all zero. */
    Buffer zeros(ElementType type, long length) {
        Buffer buffer = rank.device().alloc(type, length);
        all.add(buffer);
        rank.stream().fill(buffer, 0);
        return buffer;
    }

    /** A copy of an array. */
    Buffer of(float[] values) {
        return copy(ElementType.FLOAT, values.length, MemorySegment.ofArray(values));
    }

    Buffer of(double[] values) {
        return copy(ElementType.DOUBLE, values.length, MemorySegment.ofArray(values));
    }

    Buffer of(int[] values) {
        return copy(ElementType.INT, values.length, MemorySegment.ofArray(values));
    }

    private Buffer copy(ElementType type, long length, MemorySegment values) {
        Buffer buffer = zeros(type, length);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(Math.max(1, values.byteSize()), Long.BYTES);
            MemorySegment.copy(values, 0, host, 0, values.byteSize());
            rank.stream().copy(buffer, Buffer.ofHost(host.asSlice(0, values.byteSize()), type));
            rank.stream().sync();
        }
        return buffer;
    }

    /** Shape of a kernel whose threads go through {@code count} elements in steps of the grid. */
    Kernel.Shape strided(long count) {
        return rank.device().stridedShape(count);
    }

    /** Shape of a kernel whose blocks do something each; on the host device they have one thread. */
    Kernel.Shape blocks(long blocks, int threads) {
        return rank.device().blockShape(Math.toIntExact(blocks), threads);
    }

    /** Bits that depend on {@code i} and a seed. */
    static long hash(long i, long seed) {
        long x = (i + 1) * GOLDEN + seed * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }

    /** Numbers from 0 to 1. */
    static double[] doubles(int count, long seed) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = (hash(i, seed) >>> 11) * 0x1p-53;
        }
        return values;
    }

    /** Numbers from 0 to 1. */
    static float[] floats(int count, long seed) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (hash(i, seed) >>> 40) * 0x1p-24f;
        }
        return values;
    }

    @Override
    public void close() {
        rank.stream().sync();
        all.forEach(Buffer::close);
        all.clear();
    }
}
