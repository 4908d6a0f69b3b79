package org.pgas4j.examples.himeno;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedFloats;

/**
 * A rank's part of the grid on its device: two pressure fields in shared memory, the older and the newer in turn, and the
 * coefficients, arrays as in the benchmark though constant, in private memory.
 */
final class Field {

    private static final float[] COEFFICIENTS = {1, 1, 1, 1f / 6, 0, 0, 0, 1, 1, 1, 1, 0};

    private final Rank rank;
    private final Settings settings;
    private final Slab slab;
    private final long capacity;
    private final SharedFloats pressure;
    private final Buffer coefficients;

    /** Collective. */
    Field(Rank rank, Settings settings) {
        this.rank = rank;
        this.settings = settings;
        this.slab = Slab.of(settings, rank.ranks(), rank.rank());
        this.capacity = Slab.capacity(settings, rank.ranks());
        try (var _ = rank.onDevice()) {
            this.pressure = rank.allAllocFloats(Layout.replicated(), 2 * capacity);
        }
        this.coefficients = rank.device().allocFloats(COEFFICIENTS.length * capacity);
        try (Arena arena = Arena.ofShared()) {
            for (int i = 0; i < COEFFICIENTS.length; i++) {
                MemorySegment values = arena.allocate(ValueLayout.JAVA_FLOAT, capacity);
                for (long x = 0; x < capacity; x++) {
                    values.setAtIndex(ValueLayout.JAVA_FLOAT, x, COEFFICIENTS[i]);
                }
                rank.stream().copy(coefficients.slice(i * capacity, capacity), Buffer.ofHost(values, ElementType.FLOAT));
            }
            rank.stream().sync();
        }
    }

    Settings settings() {
        return settings;
    }

    Slab slab() {
        return slab;
    }

    /** Planes of the rank before, 0 if this is the first. */
    int planesBelow() {
        return rank.rank() == 0 ? 0 : Slab.of(settings, rank.ranks(), rank.rank() - 1).count();
    }

    /** Fewest planes of a rank. */
    int fewestPlanes() {
        return Slab.of(settings, rank.ranks(), rank.ranks() - 1).count();
    }

    long capacity() {
        return capacity;
    }

    long planeSize() {
        return (long) settings.rows() * settings.columns();
    }

    SharedFloats pressure() {
        return pressure;
    }

    /** Fields a0..a3, b0..b2, c0..c2, bnd, wrk1. */
    Buffer coefficients() {
        return coefficients;
    }

    /** Both pressure fields as the benchmark starts. Collective. */
    void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment start = arena.allocate(ValueLayout.JAVA_FLOAT, capacity);
            long plane = planeSize();
            for (int i = 0; i < slab.count() + 2; i++) {
                float value = Reference.start(slab.first() - 1 + i, settings.planes());
                for (long x = i * plane; x < (i + 1) * plane; x++) {
                    start.setAtIndex(ValueLayout.JAVA_FLOAT, x, value);
                }
            }
            Buffer block = Buffer.ofHost(start, ElementType.FLOAT);
            rank.stream().copy(pressure.local().slice(0, capacity), block);
            rank.stream().copy(pressure.local().slice(capacity, capacity), block);
            rank.stream().sync();
        }
        rank.barrier();
    }

    /** Sum over all ranks of what their blocks found. Collective. */
    double sum(Buffer sums) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_DOUBLE, sums.length());
            rank.stream().copy(Buffer.ofHost(host, ElementType.DOUBLE), sums);
            rank.stream().sync();
            double sum = 0;
            for (long i = 0; i < sums.length(); i++) {
                sum += host.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            }
            return rank.allReduce(sum, ReduceOp.SUM);
        }
    }

    /** Rank 0: largest difference of any rank's pressure after the iterations from {@code expected}, the whole grid. */
    double difference(float[][] expected) {
        long plane = planeSize();
        double largest = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_FLOAT, plane);
            for (int owner = 0; owner < rank.ranks(); owner++) {
                Slab planes = Slab.of(settings, rank.ranks(), owner);
                for (int i = 0; i < planes.count(); i++) {
                    long from = settings.iterations() % 2 * capacity + (i + 1) * plane;
                    rank.memget(host, pressure.pointer(from).onRank(owner), plane * Float.BYTES);
                    for (int x = 0; x < plane; x++) {
                        float found = host.getAtIndex(ValueLayout.JAVA_FLOAT, x);
                        double difference = Math.abs((double) found - expected[planes.first() + i][x]);
                        largest = Double.isNaN(difference) ? Double.POSITIVE_INFINITY : Math.max(largest, difference);
                    }
                }
            }
        }
        return largest;
    }

    /** Collective. */
    void free() {
        rank.allFree(pressure);
        coefficients.close();
    }
}
