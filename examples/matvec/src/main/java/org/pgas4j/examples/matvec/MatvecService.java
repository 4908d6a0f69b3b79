package org.pgas4j.examples.matvec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.examples.common.Workload;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;

/**
 * A rank's device memory. It sends from {@code source}: the client's vectors of all batches, a server's products of the batches
 * under way. Others write to {@code target}: the client's products, a server's vectors. Both are in shared memory;
 * the matrix, by columns, is private.
 */
abstract class MatvecService implements Workload {

    final Rank rank;
    final MatvecCase of;
    final Buffer matrix;
    private final SharedPointer source;
    final SharedPointer target;

    MatvecService(Rank rank, MatvecCase of) {
        this.rank = rank;
        this.of = of;
        try (var _ = rank.onDevice()) {
            this.source = rank.alloc(bytes());
            this.target = rank.alloc(bytes());
        }
        this.matrix = rank.device().allocFloats((long) Products.SIDE * Products.SIDE);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment a = arena.allocate(ValueLayout.JAVA_FLOAT, matrix.length());
            for (int k = 0; k < Products.SIDE; k++) {
                for (int i = 0; i < Products.SIDE; i++) {
                    a.setAtIndex(ValueLayout.JAVA_FLOAT, k * Products.SIDE + i, Products.matrix(i, k));
                }
            }
            rank.stream().copy(matrix, Buffer.ofHost(a, ElementType.FLOAT));
            if (isClient()) {
                MemorySegment x = arena.allocate(bytes(), Float.BYTES);
                Products.fill(x, of);
                rank.stream().copy(source(), Buffer.ofHost(x, ElementType.FLOAT));
            }
            rank.stream().sync();
        }
    }

    boolean isClient() {
        return rank.rank() == 0;
    }

    /** Size of source and of target. */
    long bytes() {
        return of.batchBytes() * (isClient() ? of.batches() : of.depth());
    }

    Buffer source() {
        return rank.memory().local(source, ElementType.FLOAT, bytes() / Float.BYTES);
    }

    Buffer target() {
        return rank.memory().local(target, ElementType.FLOAT, bytes() / Float.BYTES);
    }

    /** Makes the client's products NaN. */
    @Override
    public void reset() {
        if (isClient()) {
            rank.stream().fill(target(), 0xff);
            rank.stream().sync();
        }
    }

    /** On the client: number of wrong values; elsewhere 0. */
    @Override
    public long wrong() {
        if (!isClient()) {
            return 0;
        }
        try (Arena arena = Arena.ofShared()) {
            MemorySegment y = arena.allocate(bytes(), Float.BYTES);
            rank.stream().copy(Buffer.ofHost(y, ElementType.FLOAT), target());
            rank.stream().sync();
            return Products.wrong(y, of);
        }
    }

    @Override
    public void close() {
        rank.free(source);
        rank.free(target);
        matrix.close();
    }
}
