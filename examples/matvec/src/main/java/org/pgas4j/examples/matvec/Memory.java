package org.pgas4j.examples.matvec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/**
 * A rank's device memory. {@code source} is what it sends from: the client's vectors of all batches, a server's products of the
 * batches under way. {@code target} is what others write to: the client's products, a server's vectors. Both are in shared memory;
 * the matrix, by columns, is private.
 */
final class Memory {

    private final Rank rank;
    private final Settings settings;
    private final Buffer matrix;
    private final SharedPointer source;
    private final SharedPointer target;

    Memory(Rank rank, Settings settings) {
        this.rank = rank;
        this.settings = settings;
        try (var _ = rank.onDevice()) {
            this.source = rank.alloc(bytes());
            this.target = rank.alloc(bytes());
        }
        this.matrix = rank.device().allocFloats((long) Data.SIDE * Data.SIDE);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment a = arena.allocate(ValueLayout.JAVA_FLOAT, matrix.length());
            for (int k = 0; k < Data.SIDE; k++) {
                for (int i = 0; i < Data.SIDE; i++) {
                    a.setAtIndex(ValueLayout.JAVA_FLOAT, k * Data.SIDE + i, Data.matrix(i, k));
                }
            }
            rank.stream().copy(matrix, Buffer.ofHost(a, ElementType.FLOAT));
            rank.stream().sync();
            if (isClient()) {
                MemorySegment x = arena.allocate(bytes(), Float.BYTES);
                Data.fill(x, settings);
                rank.stream().copy(source(), Buffer.ofHost(x, ElementType.FLOAT));
                rank.stream().sync();
            }
        }
    }

    Settings settings() {
        return settings;
    }

    boolean isClient() {
        return rank.rank() == 0;
    }

    /** Size of source and of target. */
    long bytes() {
        return settings.batchBytes() * (isClient() ? settings.batches() : settings.depth());
    }

    Buffer matrix() {
        return matrix;
    }

    Buffer source() {
        return rank.memory().local(source, ElementType.FLOAT, bytes() / Float.BYTES);
    }

    Buffer target() {
        return rank.memory().local(target, ElementType.FLOAT, bytes() / Float.BYTES);
    }

    SharedPointer targetPointer() {
        return target;
    }

    /** Makes the client's products NaN. */
    void reset() {
        if (isClient()) {
            rank.stream().fill(target(), 0xff);
            rank.stream().sync();
        }
    }

    /** On the client: number of wrong values; elsewhere 0. */
    long wrong() {
        if (!isClient()) {
            return 0;
        }
        try (Arena arena = Arena.ofShared()) {
            MemorySegment y = arena.allocate(bytes(), Float.BYTES);
            rank.stream().copy(Buffer.ofHost(y, ElementType.FLOAT), target());
            rank.stream().sync();
            return Data.wrong(y, settings);
        }
    }

    void free() {
        rank.free(source);
        rank.free(target);
        matrix.close();
    }
}
