package org.pgas4j.examples.stencil;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedFloats;

/** The field twice, in shared device memory: steps read one and write the other, in turn. Collective. */
final class Fields {

    private final Rank rank;
    private final Domain domain;
    private final SharedFloats[] arrays = new SharedFloats[2];

    Fields(Rank rank, Domain domain) {
        this.rank = rank;
        this.domain = domain;
        try (var _ = rank.onDevice()) {
            for (int i = 0; i < arrays.length; i++) {
                arrays[i] = rank.allAllocFloats(Layout.blocked(domain.length()), domain.length() * rank.ranks());
            }
        }
    }

    Domain domain() {
        return domain;
    }

    /** What step {@code step} reads; step + 1 writes there again. */
    SharedFloats in(int step) {
        return arrays[step % 2];
    }

    /** What step {@code step} writes. */
    SharedFloats out(int step) {
        return arrays[(step + 1) % 2];
    }

    /** Sets everything to what it is before step 0, on all ranks. */
    void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(domain.length() * Float.BYTES);
            for (int level = 0; level < domain.levels(); level++) {
                for (int row = 0; row < domain.rows(); row++) {
                    long start = domain.start(level, row);
                    for (int i = 0; i < domain.isize(); i++) {
                        host.set(ElementType.LAYOUT_FLOAT, (start + i) * Float.BYTES, Domain.initial(i, globalRow(row), level));
                    }
                }
            }
            for (SharedFloats array : arrays) {
                rank.stream().copy(array.local(), Buffer.ofHost(host, ElementType.FLOAT));
            }
            rank.stream().sync();
        }
        rank.barrier();
    }

    /** The largest difference of all ranks' own points after {@code steps} steps from the CPU's. */
    double maxError(int steps) {
        Reference reference = new Reference(domain, steps);
        float[] values = own(steps);
        double error = 0;
        int at = 0;
        for (int level = 0; level < domain.levels(); level++) {
            for (int row = Domain.HALO; row < Domain.HALO + domain.jsize(); row++) {
                for (int i = 0; i < domain.isize(); i++) {
                    double difference = Math.abs((double) values[at++] - reference.at(i, globalRow(row), level));
                    error = Double.isNaN(difference) ? Double.MAX_VALUE : Math.max(error, difference);
                }
            }
        }
        return rank.allReduce(error, ReduceOp.MAX);
    }

    /** Of the bits of all ranks' own points after {@code steps} steps and of where they are. */
    long checksum(int steps) {
        float[] values = own(steps);
        long sum = 0;
        int at = 0;
        for (int level = 0; level < domain.levels(); level++) {
            for (int row = Domain.HALO; row < Domain.HALO + domain.jsize(); row++) {
                for (int i = 0; i < domain.isize(); i++) {
                    long where = ((long) globalRow(row) * domain.levels() + level) * domain.isize() + i;
                    long mixed = (where << 32 ^ Float.floatToRawIntBits(values[at++])) * 0x9E3779B97F4A7C15L;
                    sum += (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
                }
            }
        }
        return rank.allReduce(sum, ReduceOp.SUM);
    }

    /** This rank's own points after {@code steps} steps, without halos. */
    private float[] own(int steps) {
        float[] values = new float[domain.levels() * domain.jsize() * domain.isize()];
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(domain.length() * Float.BYTES);
            rank.stream().copy(Buffer.ofHost(host, ElementType.FLOAT), in(steps).local());
            rank.stream().sync();
            int ownLength = domain.jsize() * domain.isize();
            for (int level = 0; level < domain.levels(); level++) {
                MemorySegment.copy(host, ElementType.LAYOUT_FLOAT, domain.start(level, Domain.HALO) * Float.BYTES, values,
                        level * ownLength, ownLength);
            }
        }
        return values;
    }

    private int globalRow(int row) {
        return domain.rank() * domain.jsize() + row - Domain.HALO;
    }

    void free() {
        for (SharedFloats array : arrays) {
            rank.allFree(array);
        }
    }
}
